/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time in each module: for programs and for people. */
#ifndef EDDY_OUTPUT_MODULE_VIEW_H
#define EDDY_OUTPUT_MODULE_VIEW_H

#include <stdio.h>

#include "analysis/module_rows.h"

/* Columns `inclusive self module kind`.  limit rows, 0: all. */
void module_tsv_write(FILE *out, const struct module_rows *rows, size_t limit);
/*
 * The same with shares of `all`, the whole profile's, and what is not known said in words; for a
 * terminal of so many columns, 0: any.
 */
void module_text_write(FILE *out, const struct module_rows *rows, uint64_t all, size_t limit,
		       size_t width);

#endif
