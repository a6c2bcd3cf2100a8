/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that a terminal shows whole: what is too long goes on below, between words. */
#ifndef EDDY_UTIL_TEXT_WRAP_H
#define EDDY_UTIL_TEXT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes the lines of a text, none wider than so many columns (0, or less than 20: as they are).  A
 * line that is too long goes on after two blanks, between words, inside of words that are longer
 * than a line.  Colours ("\033[...m") take no columns; all else is measured by text_width.h.
 */
void text_wrap_write(FILE *out, const char *text, size_t len, size_t columns);
/*
 * The same of lists of options: a line goes on below where what is said of its option begins, and
 * lines that stand there already, or at the left edge, are one sentence.
 */
void text_wrap_write_help(FILE *out, const char *text, size_t len, size_t columns);

#endif
