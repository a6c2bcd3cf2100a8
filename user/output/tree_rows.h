/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of a call tree are printed, and in which order: shared by all of its formats. */
#ifndef EDDY_OUTPUT_TREE_ROWS_H
#define EDDY_OUTPUT_TREE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calltree.h"

struct tree_rows_opts {
	bool sort_self;	    /* siblings by their own samples, then as ever */
	bool sort_first;    /* siblings as first seen; else falling by samples, stubs last */
	bool join_chains;   /* one line for nodes that call one other and nothing else */
	size_t depth;	    /* deepest level; 0: all */
	double min_percent; /* of all samples */
	size_t limit;	    /* most rows, the heaviest ones; 0: all */
};

struct tree_line {
	row_id row;   /* ROW_TOP: this line stands for rows that are left out below a parent */
	row_id first; /* of a chain that is joined, the first node; else the row itself */
	uint32_t nr_joined; /* nodes of the line: 1 where nothing is joined */
	uint32_t indent;    /* lines above it that lead to it */
	row_id parent;	    /* of the first */
	uint32_t level;	    /* of the first */
	size_t nr_more;	    /* the rows left out, one level below the parent */
	uint64_t more; /* the sum of their samples; paths may share samples, so it may be high */
};

/*
 * A chain is joined while each node has one callee, all samples go there, and nothing else is to be
 * said of it: no samples of its own, no recursion, no merged paths, no base frame, and kernel,
 * user and compiled code are not mixed.
 *
 * Calls `line` for each line in preorder; a line of left-out rows stands behind its siblings.  Rows
 * that no sample reached are not there at all.
 */
typedef void (*tree_line_fn)(void *ctx, const struct tree_line *line);
void tree_rows_walk(const struct calltree *tree, const struct tree_rows_opts *opts,
		    tree_line_fn line, void *ctx);

#endif
