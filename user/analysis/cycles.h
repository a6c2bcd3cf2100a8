/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The components of a call graph and, among them, its cycles: components of two or more
 * functions.  (A function that only calls itself is not a cycle.)  Contract every component to a
 * point and the graph has no cycle left; time and arrivals are sums along that order.
 */
#ifndef EDDY_ANALYSIS_CYCLES_H
#define EDDY_ANALYSIS_CYCLES_H

#include "analysis/graph.h"

struct component {
	uint32_t first, nr;  /* members: cycles.members[first .. first + nr) */
	uint32_t number;     /* of the cycle, from 1; 0: a single function */
	uint32_t level;	     /* callers first: longest way from a component without callers */
	uint32_t nr_entries; /* members that something outside arrives at */
	uint32_t observed;   /* members of the largest group seen going round; 0: a phantom */
	uint64_t self;	     /* of all members */
	uint64_t children;   /* spent in what the members call outside */
	uint64_t arrivals;   /* from outside, without a caller included: ncalls, touched */
	uint64_t inner;	     /* calls among the members, self calls included */
	uint64_t reentered;  /* samples in which some member stands twice */
};

struct cycles {
	uint32_t *of;		      /* component of each function */
	struct component *components; /* callees first */
	uint32_t nr_components;
	uint32_t *members; /* largest inclusive (by hand: self) first within a component */
	uint32_t *printed; /* the cycles in the order they are printed in: largest time first */
	uint32_t nr_cycles;
	uint32_t
		*numbers; /* of each function: the number of the cycle whose largest member it is */
	uint32_t nr_numbers;
	uint64_t total_self;
};

/* What an arc between two components carries: time inside the callee's component, and below. */
struct arc_share {
	uint64_t self, children;
};

/*
 * Finds the components of an indexed graph; c is zeroed or from an earlier call, whose numbers
 * live on with the cycles that hold their largest members.  -EOVERFLOW when a sum of counts
 * exceeds 64 bits (c can then only be released).  The fields observed and reentered are 0: they
 * need stacks (phantom.h).
 */
int cycles_find(struct cycles *c, const struct graph *g);
void cycles_deinit(struct cycles *c);

static inline const struct component *cycles_of(const struct cycles *c, uint32_t function)
{
	return &c->components[c->of[function]];
}

/* Do both ends of the arc lie in one component? True for a function's call of itself. */
static inline bool cycles_is_inner(const struct cycles *c, const struct graph_arc *arc)
{
	return c->of[arc->caller] == c->of[arc->callee];
}

/*
 * The share of an arc between two components: exact when the graph is sampled, gprof's average
 * (frames / arrivals of what the component cost, rounded) when not; zero when nothing arrives.
 */
struct arc_share cycles_share(const struct cycles *c, const struct graph *g,
			      const struct graph_arc *arc);

#endif
