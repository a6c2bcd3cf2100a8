/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of a call tree are printed, and in which order: shared by all of its formats. */
#ifndef EDDY_OUTPUT_TREE_ROWS_H
#define EDDY_OUTPUT_TREE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calltree.h"

struct tree_rows_opts {
	bool sort_first;    /* siblings as first seen; else falling by samples, stubs last */
	size_t depth;	    /* deepest level; 0: all */
	double min_percent; /* of all samples */
	size_t limit;	    /* most rows, the heaviest ones; 0: all */
};

struct tree_line {
	row_id row; /* ROW_TOP: this line stands for rows that are left out below a parent */
	row_id parent;
	uint32_t level;
	size_t nr_more; /* the rows left out, one level below the parent */
	uint64_t more;	/* the sum of their samples; paths may share samples, so it may be high */
};

/*
 * Calls `line` for each line in preorder; a line of left-out rows stands behind its siblings.  Rows
 * that no sample reached are not there at all.
 */
typedef void (*tree_line_fn)(void *ctx, const struct tree_line *line);
void tree_rows_walk(const struct calltree *tree, const struct tree_rows_opts *opts,
		    tree_line_fn line, void *ctx);

#endif
