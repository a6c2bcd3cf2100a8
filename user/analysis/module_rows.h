/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time in each module: the rows of `--view modules`.  Stacks in which each run of functions of one
 * module is one frame; a sample counts once for a module, however often its stack goes through it.
 */
#ifndef EDDY_ANALYSIS_MODULE_ROWS_H
#define EDDY_ANALYSIS_MODULE_ROWS_H

#include <stdint.h>

#include "analysis/frame_module.h"
#include "profile/profile.h"
#include "util/diag.h"

struct module_row {
	uint64_t inclusive, self;
	enum module_kind kind;
	const char *name; /* NUL-terminated bytes of the frame table */
};

struct module_rows {
	struct module_row *rows; /* most inclusive first, then by name bytewise, then by kind */
	size_t nr;
};

/*
 * Of a profile whose base frames are marked (analysis/base_marks.h); self of all rows adds up to
 * its total.  known: NULL, or what is known of its frames.  ret_rows is overwritten;
 * module_rows_deinit() it.
 */
int module_rows_find(const struct profile *p, const struct modules_known *known,
		     struct module_rows *ret_rows, struct diag *ret_diag);
void module_rows_sort_by_self(struct module_rows *rows);
void module_rows_deinit(struct module_rows *rows); /* zero-filled is fine */
#define _cleanup_module_rows_ __attribute__((cleanup(module_rows_deinit)))

#endif
