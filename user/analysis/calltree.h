/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call trees in which recursion is collapsed, in one of four degrees (Puma's), with the numbers
 * that Puma and JProfiler print.
 *
 * The tree is a deterministic automaton: a (node, callee) pair leads to exactly one thing, for
 * every sample: a child node, or a stub, which says "this call goes on at an ancestor".
 *
 *	main r r s  ->	main		row 1, level 1
 *			 r		row 2, level 2
 *			  r...		row 3, level 3, a stub: target 2
 *			  s		row 4, level 3, reached after a stub: "0 (1)"
 *
 * Nodes and stubs are rows of one table; row 0 stands over the roots, and a row's parent always
 * has a smaller number.  Shape and counters are apart, so that counting anew keeps the shape.
 */
#ifndef EDDY_ANALYSIS_CALLTREE_H
#define EDDY_ANALYSIS_CALLTREE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"
#include "util/cleanup.h"

/* How much recursion is folded: each degree's chains are no longer than those of the one before. */
enum collapse_degree {
	COLLAPSE_NONE,	       /* nothing: the trie of the stacks */
	COLLAPSE_DIRECT,       /* a function calling itself */
	COLLAPSE_CONSERVATIVE, /* every return to a function that loses no name of the chain */
	COLLAPSE_FULL,	       /* every return to a function that stands in the chain */
	NR_COLLAPSE_DEGREES
};

typedef uint32_t row_id;

#define ROW_TOP ((row_id)0)

struct calltree_row {
	frame_id func;
	row_id parent;
	row_id target;	/* of a stub: an ancestor-or-self of parent; 0: this row is a node */
	uint32_t level; /* 1 for roots; a stub has the level its node would have had */
	node_id first;	/* the first prefix of the profile that came here: first-seen order */
	uint32_t novel; /* node: names on the way from its root that stand there first */
	row_id same;	/* node: the nearest ancestor of the same function, 0 */
	row_id child;	/* node: the newest child made before it had a second visitor, 0 */
	row_id sibling; /* the child made before, 0 */
};

struct calltree_counts {
	uint64_t direct;   /* samples that came here before they crossed a stub */
	uint64_t indirect; /* samples whose first arrival here was after a stub */
	union {
		uint64_t self;	    /* node: samples that end here */
		uint64_t crossings; /* stub: how often it was crossed, samples that do so twice
				       count twice; stays at UINT64_MAX when it gets there */
	};
	uint32_t places;     /* node: distinct prefixes that came here by an ordinary call ("merged
				stacks"); stub: distinct prefixes that were moved to the target */
	uint32_t recursions; /* node: distinct prefixes that stubs delivered here */
};

struct calltree;

/* The tree of all stacks of a profile.  Stacks without frames are in no tree and in no number. */
struct calltree *calltree_new(const struct profile *profile, enum collapse_degree degree);
void calltree_free(struct calltree *t);
DEFINE_FREE(calltree, struct calltree *, calltree_free)
#define _cleanup_calltree_ _cleanup_(calltree_freep)

/*
 * Counts anew.  `profile` is the one that the tree was made of, with other weights or grown by
 * nodes (never fewer, nor others): known prefixes are not looked up again, and rows keep their
 * numbers.  Rows that no sample reaches any more have zero counts.
 */
void calltree_refresh(struct calltree *t, const struct profile *profile);

/* Rows, ROW_TOP included; valid until the next refresh. */
size_t calltree_nr_rows(const struct calltree *t);
const struct calltree_row *calltree_rows(const struct calltree *t);
const struct calltree_counts *calltree_counts(const struct calltree *t);
/* All samples in the tree. */
uint64_t calltree_total(const struct calltree *t);
struct frame_table *calltree_frames(const struct calltree *t);
/* The node where a stack ends that is this prefix; ROW_TOP for prefixes that no sample has. */
row_id calltree_end(const struct calltree *t, node_id prefix);
/* Bytes of memory held. */
size_t calltree_bytes(const struct calltree *t);

/*
 * The collapsed stacks as a profile over the same frame table: each sample stands on the chain of
 * the node where it ends.  Every self count, so the total too, is carried over to the sample.
 */
struct profile *calltree_collapse(const struct profile *profile, enum collapse_degree degree);

/* Samples that passed through a row. */
static inline uint64_t calltree_passed(const struct calltree_counts *c)
{
	return c->direct + c->indirect;
}

#endif
