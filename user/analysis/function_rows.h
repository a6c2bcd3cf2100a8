/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a call graph as rows, in the order that somebody asks for; base frames are none.
 */
#ifndef EDDY_ANALYSIS_FUNCTION_ROWS_H
#define EDDY_ANALYSIS_FUNCTION_ROWS_H

#include <stdint.h>

#include "analysis/graph.h"
#include "profile/frame.h"

enum function_sort { FUNCTIONS_BY_SELF, FUNCTIONS_BY_INCLUSIVE };

struct function_rows {
	frame_id *functions;
	size_t nr;
	uint64_t nowhere; /* samples that end in no function: empty stacks, lost ones */
};

/*
 * All functions that the graph has: the number they are sorted by falling, then the other one, then
 * by name (the graph's rank).  ret_rows is overwritten; function_rows_deinit() it.
 */
void function_rows_find(const struct graph *g, const struct frame_table *frames,
			enum function_sort sort, struct function_rows *ret_rows);
void function_rows_deinit(struct function_rows *rows); /* zero-filled is fine */
#define _cleanup_function_rows_ __attribute__((cleanup(function_rows_deinit)))

#endif
