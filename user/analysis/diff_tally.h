/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What analysis/diff.c counts and analysis/diff_compare.c tests; nobody else includes this.  What
 * a batch has of a stack or function is kept in a list of those that have any: most functions are
 * not in most batches.
 */
#ifndef EDDY_ANALYSIS_DIFF_TALLY_H
#define EDDY_ANALYSIS_DIFF_TALLY_H

#include "analysis/diff.h"

/* What one batch has; cells of one tally are a list, the last batch first. */
struct cell {
	uint64_t count;
	uint32_t batch, next; /* next: number of the cell before, 1-based; 0: none */
};

struct tally {
	uint64_t count;
	uint32_t last; /* cell */
};

/* Tallies by id; what is beyond nr was never seen. */
struct tallies {
	struct tally *of;
	size_t nr, cap;
	struct cell *cells;
	size_t nr_cells, cap_cells;
};

enum diff_column { COLUMN_STACK, COLUMN_SELF, COLUMN_INCLUSIVE, COLUMN_PATH, NR_COLUMNS };

struct diff_side_tallies {
	/* By node of the shape, by function, by function, by node with all under it. */
	struct tallies columns[NR_COLUMNS];
	double due;
	uint64_t total;
	double *dues; /* of each batch */
	size_t nr_batches, cap_batches;
};

struct diff {
	struct profile *shape;
	bool has_paths; /* COLUMN_PATH is counted */
	struct diff_side_tallies sides[NR_DIFF_SIDES];
};

static inline struct tally tally_of(const struct tallies *t, size_t id)
{
	return id < t->nr ? t->of[id] : (struct tally){ 0 };
}

#endif
