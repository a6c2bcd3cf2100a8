/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When samples were taken: which stacks were met in each slot of time, and how often.  It has room
 * for a number of such cells; when there are more, slots become longer (those that are one cell
 * then are joined), so that no sample loses its time, only the time its sharpness.
 *
 * The length of a slot is a divisor of a second, or whole seconds.
 */
#ifndef EDDY_PROFILE_TIMELINE_H
#define EDDY_PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

#define TIMELINE_SECOND_NS  UINT64_C(1000000000)
#define TIMELINE_DEFAULT_NS UINT64_C(10000000)
#define TIMELINE_MAX_SLOTS  ((uint32_t)1 << 24) /* 46 hours of 10 ms */

struct timeline_cell {
	uint32_t slot;
	node_id node;	 /* where the stack ends */
	uint64_t weight; /* samples, or what they weigh */
};

struct timeline {
	uint64_t slot_ns;  /* of a slot now */
	uint64_t asked_ns; /* as long as they were to be */
	uint64_t start_ns; /* where slot 0 begins, on the clock of the times */
	uint64_t start_ms; /* the same since 1970; 0: not known */
	struct timeline_cell *cells;
	size_t nr, cap, max_cells;
	uint32_t nr_slots;   /* to the end, with those that have nothing */
	uint64_t weight;     /* of all cells */
	uint64_t nr_samples; /* the calls of timeline_add() */
	uint64_t untimed;    /* weight of samples whose time is not known */
	uint64_t left_out;   /* weight of cells that timeline_move() has dropped */
};

/* Is it a length that a slot can have? */
bool timeline_can_have(uint64_t slot_ns);

/* max_cells: at least 16. */
struct timeline *timeline_new(uint64_t slot_ns, uint64_t start_ns, size_t max_cells);
void timeline_free(struct timeline *t); /* NULL is fine */
DEFINE_FREE(timeline, struct timeline *, timeline_free)
#define _cleanup_timeline_ _cleanup_(timeline_freep)

/* A sample; one from before the start is counted for the first slot. */
void timeline_add(struct timeline *t, uint64_t time_ns, node_id node, uint64_t weight);
/* The same of a slot; it must be below TIMELINE_MAX_SLOTS. */
void timeline_add_cell(struct timeline *t, const struct timeline_cell *cell);
/* It ends then: what was sampled later is counted for the last slot. */
void timeline_end(struct timeline *t, uint64_t end_ns);
/* The nodes are others: nodes[n] took the place of n.  NODE_DROP: it is left out. */
void timeline_move(struct timeline *t, const node_id *nodes);
/* By slot, then node; each stack of a slot once. */
void timeline_sort(struct timeline *t);
/* Longer slots until there are no more than so many cells, or one slot; sorted. */
void timeline_fit(struct timeline *t, size_t max_cells);
struct timeline *timeline_copy(const struct timeline *t);

#endif
