// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frames of one component are contiguous in a stack, so a stack enters a component once and a
 * node knows by its caller alone whether it is still inside.
 *
 * Groups: where a name stands twice in a stack, all functions from the one frame to the other
 * belong together.  Going through the nodes from the last to the first, `reach` says how many
 * frames further up such a stretch goes on; that is the difference array of all stacks at once.
 */
#include "analysis/phantom.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

/* Arrivals: each node inherits the arc by which its stack came into the component. */
static void measure_forward(struct cycles *c, struct graph *g, const struct callgraph_nodes *nodes,
			    const struct profile *p)
{
	const node_id *parents = profile_parents(p);
	const frame_id *frames = profile_node_frames(p);
	const uint64_t *selves = profile_selves(p);
	_cleanup_free_ uint32_t *entry = xmalloc(nodes->nr * sizeof(*entry));
	_cleanup_free_ bool *is_again = xmalloc(nodes->nr * sizeof(*is_again));

	is_again[0] = false;
	entry[0] = ARC_NONE;
	for (size_t n = 1; n < nodes->nr; n++) {
		uint32_t x = c->of[frames[n]];
		node_id parent = parents[n];

		if (nodes->arcs[n] == ARC_NONE)
			continue;
		if (x == c->of[frames[parent]]) {
			entry[n] = entry[parent];
			is_again[n] = is_again[parent];
		} else {
			entry[n] = nodes->arcs[n];
			is_again[n] = false;
		}
		g->arcs[entry[n]].ends += selves[n];
		if (nodes->hops[n] && !is_again[n]) {
			is_again[n] = true;
			c->components[x].reentered += nodes->sums[n];
		}
	}
}

static uint32_t group_find(uint32_t *group, uint32_t f)
{
	while (group[f] != f) {
		group[f] = group[group[f]];
		f = group[f];
	}
	return f;
}

static void group_unite(uint32_t *group, uint32_t *size, uint32_t a, uint32_t b)
{
	a = group_find(group, a);
	b = group_find(group, b);
	if (a == b)
		return;
	if (size[a] < size[b]) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	group[b] = a;
	size[a] += size[b];
}

/* Unites along the stretches between two occurrences of a function. */
static void unite_groups(const struct callgraph_nodes *nodes, const struct profile *p,
			 uint32_t *group, uint32_t *size)
{
	const node_id *parents = profile_parents(p);
	const frame_id *frames = profile_node_frames(p);
	_cleanup_free_ uint32_t *reach = xmalloc(nodes->nr * sizeof(*reach));

	memcpy(reach, nodes->hops, nodes->nr * sizeof(*reach));
	for (size_t n = nodes->nr; n-- > 1;) {
		node_id parent = parents[n];

		if (nodes->arcs[n] == ARC_NONE || !reach[n])
			continue;
		if (frames[n] != frames[parent])
			group_unite(group, size, frames[n], frames[parent]);
		if (reach[n] - 1 > reach[parent])
			reach[parent] = reach[n] - 1;
	}
}

void phantom_measure(struct cycles *c, struct graph *g, const struct callgraph_nodes *nodes,
		     const struct profile *p)
{
	_cleanup_free_ uint32_t *group = NULL, *size = NULL;

	for (uint32_t a = 0; a < g->nr_arcs; a++)
		g->arcs[a].ends = 0;
	measure_forward(c, g, nodes, p);
	if (!c->nr_cycles)
		return;
	group = xmalloc(g->nr_functions * sizeof(*group));
	size = xmalloc(g->nr_functions * sizeof(*size));
	for (uint32_t f = 0; f < g->nr_functions; f++) {
		group[f] = f;
		size[f] = 1;
	}
	unite_groups(nodes, p, group, size);
	for (uint32_t i = 0; i < c->nr_cycles; i++) {
		struct component *x = &c->components[c->printed[i]];

		for (uint32_t m = x->first; x->reentered && m < x->first + x->nr; m++) {
			uint32_t of = size[group_find(group, c->members[m])];

			if (of > x->observed)
				x->observed = of;
		}
	}
}
