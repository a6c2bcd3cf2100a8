/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two times compared, function by function and stack by stack: what got more, what got less, what
 * is new, what is gone, and which of it may be believed.
 *
 * Each side is given as one batch of samples or as several (the windows of a directory, in time
 * order), each with its exposure, by which rates are taken.  What a rate is depends on what the
 * exposure is, and is for the caller to choose (load/diff_base.h): here it is called due.
 *
 * The test of one rate is analysis/rate_test.h.  With batches its dispersion is, for each
 * function apart, Pearson's: the sum over both sides' batches of (c - e)^2 / e, where e is what
 * the batch would have at the side's own rate, by the number of batches less one for each side;
 * never below 1 (McCullagh and Nelder 4.5.2).  A side that has no sample of it says nothing, so
 * what is new, what is gone, and what was seen in few batches only, would have few degrees of
 * freedom or none: what is missing to DIFF_MIN_DF is borrowed from the list, as so many more with
 * the median of its dispersions (moderated variances: Smyth 2004, with a fixed weight).  A side of
 * a single batch still cannot tell a burst in it from a change.  Batches whose rates wander slowly
 * count as fewer: analysis/drift.h.
 *
 * Which tests may be believed is decided for all tests of one list together (functions:
 * inclusive and self) by Benjamini and Hochberg's procedure, analysis/fdr.h.  It is proven for
 * independent tests and for positive dependence (Benjamini and Yekutieli 2001): a caller's count
 * contains its callees', so tests of one list rise and fall together.  Benjamini and Yekutieli's
 * own bound for any dependence costs a factor of ln n, 8 for 1000 functions, and is not taken;
 * a property test holds the level with nested functions.  Tests that could not have reached the
 * level however their samples had fallen are no part of the list; that is decided by the sum of
 * both counts, which says nothing about their difference.
 */
#ifndef EDDY_ANALYSIS_DIFF_H
#define EDDY_ANALYSIS_DIFF_H

#include <stdbool.h>

#include "analysis/drift.h"
#include "analysis/rate_test.h"
#include "profile/profile.h"
#include "util/cleanup.h"

enum diff_side { DIFF_BEFORE, DIFF_AFTER, NR_DIFF_SIDES };

/* One count compared. */
struct diff_number {
	struct rate_pair rates;
	double p, q;	/* q: the least level at which it is believed; 1 when it is not tested */
	bool is_tested; /* it had enough samples to be a part of the list */
};

struct diff_row {
	uint32_t id;		      /* functions: frame_id; stacks: node_id of the shape */
	struct diff_number self;      /* stacks: samples of just this stack */
	struct diff_number inclusive; /* functions only */
};

struct diff_rows {
	struct diff_row *rows; /* by id, those with samples */
	size_t nr;
	size_t nr_tests;    /* in the list: numbers with is_tested */
	struct drift drift; /* of the list */
};

struct diff;

/* Profiles to come are all over this frame table; it takes a reference. */
struct diff *diff_new(struct frame_table *frames);
void diff_free(struct diff *d);
DEFINE_FREE(diff, struct diff *, diff_free)
#define _cleanup_diff_ _cleanup_(diff_freep)

/*
 * Adds one batch to a side: its samples, and due > 0 of them that were due.  -EOVERFLOW when the
 * samples of both sides exceed what one profile can hold.
 */
int diff_add(struct diff *d, enum diff_side side, const struct profile *batch, double due);

/* Before the first batch: paths are to be compared, which takes as much memory as stacks do. */
void diff_keep_paths(struct diff *d);

/* What came so far. */
double diff_due(const struct diff *d, enum diff_side side);
uint64_t diff_total(const struct diff *d, enum diff_side side);
size_t diff_nr_batches(const struct diff *d, enum diff_side side);
/* Is the scatter between batches looked at?  From DIFF_MIN_DF degrees of freedom on. */
bool diff_has_scatter(const struct diff *d);
#define DIFF_MIN_DF 4

/* Of each function or stack with samples; `level` is that of the list (0.05). rows: free(). */
void diff_functions(const struct diff *d, double level, struct diff_rows *ret_rows);
void diff_stacks(const struct diff *d, double level, struct diff_rows *ret_rows);
/*
 * Of each node of the shape with samples, all stacks that pass through it: what a box of a flame
 * graph is.  The number stands in `self`.  After diff_keep_paths().
 */
void diff_paths(const struct diff *d, double level, struct diff_rows *ret_rows);

/* All stacks of both sides, without weights: what ids of stacks mean. */
const struct profile *diff_shape(const struct diff *d);
/* A new profile of one side's samples, over the same frame table. */
struct profile *diff_profile(const struct diff *d, enum diff_side side);

/* Change of the rate: after less before. */
double diff_change(const struct diff_number *n);

#endif
