/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose the samples are: a row for each base frame at the root, and the way to its hottest code. */
#ifndef EDDY_ANALYSIS_PROCESS_ROWS_H
#define EDDY_ANALYSIS_PROCESS_ROWS_H

#include <stdint.h>

#include "profile/profile.h"

struct process_row {
	frame_id base; /* a process (as --root makes it), or a mark such as [softirq] */
	uint64_t samples;
	node_id hottest; /* from the base always to the heaviest callee; the base's own at least */
};

struct process_rows {
	struct process_row *rows;
	size_t nr;
};

/*
 * The rows of a profile whose base frames are marked (analysis/base_marks.h): most samples first,
 * then by name bytewise.  Stacks without a base are in none.  ret_rows is overwritten.
 */
void process_rows_find(const struct profile *p, struct process_rows *ret_rows);
void process_rows_deinit(struct process_rows *rows); /* zero-filled is fine */
#define _cleanup_process_rows_ __attribute__((cleanup(process_rows_deinit)))

#endif
