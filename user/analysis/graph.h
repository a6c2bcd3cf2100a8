/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call graph as plain columns: functions, arcs, and two indexes over the arcs (by caller, by
 * callee).  callgraph.h fills one from a profile; a test or another tool's numbers fill one by
 * hand.  Function 0 is nobody: its arcs are arrivals without a caller (a stack's first frame).
 */
#ifndef EDDY_ANALYSIS_GRAPH_H
#define EDDY_ANALYSIS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_NOBODY ((uint32_t)0)

struct graph_function {
	uint64_t inclusive; /* samples whose stack holds it, once each */
	uint64_t self;	    /* samples that end in it; by hand: any unit of time */
	uint64_t frames;    /* occurrences: samples times times in the stack */
	uint32_t depth;	    /* most occurrences in one stack */
};

struct graph_arc {
	uint32_t caller, callee;
	uint64_t inclusive; /* samples whose stack holds caller->callee, once each */
	uint64_t frames;    /* occurrences; by hand: calls */
	/*
	 * Of an arc between two components, the samples that end inside the entered one; the
	 * others leave it again.  Meaningful when the graph is_sampled.
	 */
	uint64_t ends;
};

struct graph {
	struct graph_function *functions; /* [nr_functions], 0 is GRAPH_NOBODY */
	uint32_t nr_functions;
	struct graph_arc *arcs;
	uint32_t nr_arcs;
	size_t cap_arcs;
	/* Arcs of function f: out_arc[out_start[f]] .. out_arc[out_start[f + 1] - 1]; in_ alike. */
	uint32_t *out_start, *out_arc, *out_callee;
	uint32_t *in_start, *in_arc;
	/* Order of the functions' names, smallest first; NULL: the order of their numbers. */
	const uint32_t *name_rank;
	bool is_sampled; /* counts are samples (exact), not calls that cost the average */
};

/* An empty graph by hand: functions 1..nr, no arcs; graph_deinit() it. */
void graph_init(struct graph *g, uint32_t nr_functions);
void graph_deinit(struct graph *g);

/* Adds an arc and returns its number; the same arc must not be added twice. */
uint32_t graph_add_arc(struct graph *g, uint32_t caller, uint32_t callee, uint64_t frames);

/* Builds the two indexes; again after arcs or functions were added. O(functions + arcs). */
void graph_index(struct graph *g);

/* Does anything in the graph name this function? */
static inline bool graph_has(const struct graph *g, uint32_t f)
{
	return g->functions[f].self || g->in_start[f] != g->in_start[f + 1] ||
	       g->out_start[f] != g->out_start[f + 1];
}

static inline uint32_t graph_rank(const struct graph *g, uint32_t f)
{
	return g->name_rank ? g->name_rank[f] : f;
}

#endif
