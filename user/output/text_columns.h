/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of numbers in tables for people; two blanks stand behind each. */
#ifndef EDDY_OUTPUT_TEXT_COLUMNS_H
#define EDDY_OUTPUT_TEXT_COLUMNS_H

#include <stdint.h>

#include "util/strbuf.h"

/* How wide a column is that holds numbers up to the largest, and its head. */
int text_columns(uint64_t largest, const char *head);
/* One of estimates, which have two decimals; that of their errors is one wider. */
int text_estimate_columns(uint64_t largest);

/* NAN: there is none, and the column is blank. */
void text_estimate_add(struct strbuf *line, double estimate, int columns);

#endif
