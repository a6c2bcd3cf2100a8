// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tarjan's algorithm with the call stack kept by hand: `next` remembers for each vertex the edge
 * to look at next, `caller` the vertex to go back to.  A vertex leaves the stack of open vertices
 * with its component, and a component is complete only after all that it reaches: callees first.
 */
#include "analysis/scc.h"

#include <stdlib.h>

#include "util/cleanup.h"
#include "util/mem.h"

struct vertex {
	uint32_t order;	 /* 1, 2, ... as first met; 0: not met */
	uint32_t low;	 /* smallest order of an open vertex it reaches */
	uint32_t next;	 /* edge to look at next */
	uint32_t caller; /* vertex whose edge led here */
};

struct tarjan {
	struct vertex *vertices;
	uint32_t *open;
	uint32_t nr_open;
	uint32_t nr_met;
	uint32_t nr_components;
	uint32_t *component;
	const uint32_t *start;
};

#define VERTEX_NONE UINT32_MAX
#define STILL_OPEN  UINT32_MAX

static void tarjan_enter(struct tarjan *t, uint32_t v, uint32_t caller)
{
	t->nr_met++;
	t->vertices[v] = (struct vertex){
		.order = t->nr_met,
		.low = t->nr_met,
		.next = t->start[v],
		.caller = caller,
	};
	t->component[v] = STILL_OPEN;
	t->open[t->nr_open++] = v;
}

/* All edges of v are done: closes its component when v is the first met of it; returns caller. */
static uint32_t tarjan_leave(struct tarjan *t, uint32_t v)
{
	struct vertex *vertex = &t->vertices[v];
	uint32_t caller = vertex->caller, w;

	if (vertex->low == vertex->order) {
		do {
			w = t->open[--t->nr_open];
			t->component[w] = t->nr_components;
		} while (w != v);
		t->nr_components++;
	}
	if (caller != VERTEX_NONE && vertex->low < t->vertices[caller].low)
		t->vertices[caller].low = vertex->low;
	return caller;
}

static void tarjan_search(struct tarjan *t, const uint32_t *to, uint32_t root)
{
	uint32_t v = root;

	tarjan_enter(t, v, VERTEX_NONE);
	while (v != VERTEX_NONE) {
		struct vertex *vertex = &t->vertices[v];
		uint32_t w;

		if (vertex->next == t->start[v + 1]) {
			v = tarjan_leave(t, v);
			continue;
		}
		w = to[vertex->next++];
		if (!t->vertices[w].order) {
			tarjan_enter(t, w, v);
			v = w;
		} else if (t->component[w] == STILL_OPEN && t->vertices[w].order < vertex->low) {
			vertex->low = t->vertices[w].order;
		}
	}
}

uint32_t scc_find(uint32_t nr, const uint32_t *start, const uint32_t *to, uint32_t *component)
{
	_cleanup_free_ struct vertex *vertices = xcalloc(nr, sizeof(*vertices));
	_cleanup_free_ uint32_t *open = xmalloc((size_t)nr * sizeof(*open));
	struct tarjan t = {
		.vertices = vertices,
		.open = open,
		.component = component,
		.start = start,
	};

	for (uint32_t v = 0; v < nr; v++)
		if (!vertices[v].order)
			tarjan_search(&t, to, v);
	return t.nr_components;
}
