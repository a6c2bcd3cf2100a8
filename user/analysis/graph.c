// SPDX-License-Identifier: GPL-2.0-or-later
/* The arcs of a call graph and their two indexes, each made by one counting sort. */
#include "analysis/graph.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

void graph_init(struct graph *g, uint32_t nr_functions)
{
	*g = (struct graph){
		.functions = xcalloc((size_t)nr_functions + 1, sizeof(*g->functions)),
		.nr_functions = nr_functions + 1,
	};
}

void graph_deinit(struct graph *g)
{
	free(g->functions);
	free(g->arcs);
	free(g->out_start);
	free(g->out_arc);
	free(g->out_callee);
	free(g->in_start);
	free(g->in_arc);
	*g = (struct graph){ 0 };
}

uint32_t graph_add_arc(struct graph *g, uint32_t caller, uint32_t callee, uint64_t frames)
{
	array_reserve(g->arcs, g->cap_arcs, (size_t)g->nr_arcs + 1);
	g->arcs[g->nr_arcs] =
		(struct graph_arc){ .caller = caller, .callee = callee, .frames = frames };
	return g->nr_arcs++;
}

/* Turns counts at [f + 1] into starts at [f]. */
static void counts_to_starts(uint32_t *start, uint32_t nr)
{
	for (uint32_t f = 0; f < nr; f++)
		start[f + 1] += start[f];
}

/* Filling by start[f]++ leaves every start one place further on: put them back. */
static void starts_back(uint32_t *start, uint32_t nr)
{
	memmove(start + 1, start, nr * sizeof(*start));
	start[0] = 0;
}

void graph_index(struct graph *g)
{
	size_t nr_starts = (size_t)g->nr_functions + 1;

	g->out_start = xreallocarray(g->out_start, nr_starts, sizeof(*g->out_start));
	g->in_start = xreallocarray(g->in_start, nr_starts, sizeof(*g->in_start));
	g->out_arc = xreallocarray(g->out_arc, g->nr_arcs, sizeof(*g->out_arc));
	g->out_callee = xreallocarray(g->out_callee, g->nr_arcs, sizeof(*g->out_callee));
	g->in_arc = xreallocarray(g->in_arc, g->nr_arcs, sizeof(*g->in_arc));
	memset(g->out_start, 0, nr_starts * sizeof(*g->out_start));
	memset(g->in_start, 0, nr_starts * sizeof(*g->in_start));
	for (uint32_t a = 0; a < g->nr_arcs; a++) {
		g->out_start[g->arcs[a].caller + 1]++;
		g->in_start[g->arcs[a].callee + 1]++;
	}
	counts_to_starts(g->out_start, g->nr_functions);
	counts_to_starts(g->in_start, g->nr_functions);
	for (uint32_t a = 0; a < g->nr_arcs; a++) {
		uint32_t out = g->out_start[g->arcs[a].caller]++;

		g->out_arc[out] = a;
		g->out_callee[out] = g->arcs[a].callee;
		g->in_arc[g->in_start[g->arcs[a].callee]++] = a;
	}
	starts_back(g->out_start, g->nr_functions);
	starts_back(g->in_start, g->nr_functions);
}
