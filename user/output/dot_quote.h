/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names within the double quotes of graphviz' language, in labels and tooltips. */
#ifndef EDDY_OUTPUT_DOT_QUOTE_H
#define EDDY_OUTPUT_DOT_QUOTE_H

#include <stddef.h>
#include <stdio.h>

/* Writes the text, without the quotes, so that graphviz shows it as it is. */
void dot_quote(FILE *out, const char *text, size_t len);

#endif
