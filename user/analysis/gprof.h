/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gprof's call graph table, as its manual describes it ("How Mutually Recursive Functions Are
 * Described"; the program differs in places).  One entry per function and per cycle, sorted by
 * time falling; an entry's lines are its callers, itself, a cycle's members, its callees.
 *
 * With samples as counts the table is exact: the count of an arc is its cost.  A graph by hand
 * gets gprof's average cost per call.
 */
#ifndef EDDY_ANALYSIS_GPROF_H
#define EDDY_ANALYSIS_GPROF_H

#include "analysis/cycles.h"
#include "util/cleanup.h"

enum gprof_role {
	GPROF_SPONTANEOUS, /* the caller nobody knows */
	GPROF_CALLER,
	GPROF_PRIMARY,
	GPROF_MEMBER, /* in the entry of a cycle as a whole */
	GPROF_CALLEE,
};

/* How `called` reads. */
enum gprof_called {
	GPROF_CALLED_NOT,  /* blank */
	GPROF_CALLED,	   /* calls */
	GPROF_CALLED_OF,   /* calls/more: of all arrivals */
	GPROF_CALLED_PLUS, /* calls+more: arrivals and calls inside */
};

struct gprof_line {
	enum gprof_role role;
	uint32_t function; /* GRAPH_NOBODY: spontaneous, or the cycle as a whole */
	uint32_t cycle;	   /* number of the cycle it is (a member of); 0: none */
	uint32_t index;	   /* the number in brackets; 0: none */
	bool has_time;	   /* self and children are there */
	bool has_inclusive;
	enum gprof_called called;
	uint64_t self, children;
	uint64_t inclusive; /* the exact number where gprof has none (sampled graphs) */
	uint64_t calls, more;
};

struct gprof_entry {
	uint32_t function;  /* GRAPH_NOBODY: the cycle as a whole */
	uint32_t component; /* number in cycles->components */
	uint64_t self, children;
};

struct gprof {
	const struct graph *graph;
	const struct cycles *cycles;
	struct gprof_entry *entries; /* entry i has index i + 1 */
	size_t nr_entries;
	uint32_t *function_index, *component_index; /* of a cycle as a whole; 0: no entry */
	uint64_t *children;			    /* of each function, outside its component */
	struct gprof_line *lines;		    /* of the last gprof_lines() */
	size_t nr_lines, cap_lines;
	uint32_t *merged; /* scratch: line of a function met before, + 1 */
};

/* The graph and its cycles stay the caller's and must outlive the table. */
struct gprof *gprof_new(const struct graph *graph, const struct cycles *cycles);
void gprof_free(struct gprof *gp); /* NULL is fine */
DEFINE_FREE(gprof, struct gprof *, gprof_free)
#define _cleanup_gprof_ _cleanup_(gprof_freep)

/* The lines of entry i in printed order; valid until the next call. O(lines log lines). */
const struct gprof_line *gprof_lines(struct gprof *gp, size_t i, size_t *ret_nr);

#endif
