// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk goes depth first.  way[] holds the functions from the root to where it is, so a level
 * that a function was last met at is known to be stale when another function stands there by now:
 * nothing has to be cleared on the way back up.  Only repeated functions, the rare case, are
 * put on a stack and undone.
 */
#include "analysis/callgraph_shape.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/mem.h"

struct met {
	uint32_t level; /* of its lowest occurrence on the way, or stale, or 0 */
	uint32_t first; /* of its highest */
};

struct repeated {
	uint32_t level, function, arc;
	uint32_t above;	  /* the level it was met at before */
	bool is_arc_here; /* the first repeated function to hold that arc */
};

struct pending {
	node_id node;
	uint32_t level;
};

struct walk {
	const node_id *parents;
	const frame_id *frames;
	struct callgraph_nodes *nodes;
	struct graph_function *functions;
	struct met *met;
	uint32_t *again;	  /* of each function: occurrences on the way but the first */
	bool *arc_is_repeated;	  /* of each arc: does a repeated function on the way hold it? */
	uint32_t *way;		  /* function at each level, from 1 */
	struct repeated *repeats; /* on the way */
	struct pending *pendings; /* siblings to go to */
	size_t way_cap, nr_repeats, repeats_cap, nr_pendings, pendings_cap;
	/* Lists of children; a node's hops are not known before it is entered, so they hold its. */
	node_id *child, *sibling;
};

static void walk_deinit(struct walk *w)
{
	free(w->met);
	free(w->again);
	free(w->arc_is_repeated);
	free(w->way);
	free(w->repeats);
	free(w->pendings);
	free(w->sibling);
}

/* The function stands above n too: how far, does its arc as well, is it deeper than ever? */
static void walk_repeat(struct walk *w, node_id n, uint32_t level)
{
	uint32_t f = w->frames[n], a = w->nodes->arcs[n];
	struct met *met = &w->met[f];
	bool is_first_arc = w->way[met->first - 1] == w->way[level - 1];
	bool is_fresh = w->nodes->flags[n] & NODE_FRESH;
	uint32_t times = ++w->again[f] + 1;

	w->nodes->hops[n] = level - met->level;
	w->nodes->flags[n] = NODE_AGAIN;
	if (is_first_arc || w->arc_is_repeated[a])
		w->nodes->flags[n] |= NODE_ARC_AGAIN;
	array_reserve(w->repeats, w->repeats_cap, w->nr_repeats + 1);
	w->repeats[w->nr_repeats++] = (struct repeated){
		.level = level,
		.function = f,
		.arc = a,
		.above = met->level,
		.is_arc_here = !w->arc_is_repeated[a],
	};
	w->arc_is_repeated[a] = true;
	met->level = level;
	if (times > w->functions[f].depth)
		w->functions[f].depth = times;
	if (!is_fresh)
		return;
	array_reserve(w->nodes->again, w->nodes->cap_again, w->nodes->nr_again + 1);
	w->nodes->again[w->nodes->nr_again++] = (struct node_times){ n, times };
}

/* The walk goes on at this level: what was repeated there or below is no more. */
static void walk_undo(struct walk *w, uint32_t level)
{
	while (w->nr_repeats && w->repeats[w->nr_repeats - 1].level >= level) {
		const struct repeated *r = &w->repeats[--w->nr_repeats];

		w->met[r->function].level = r->above;
		w->again[r->function]--;
		if (r->is_arc_here)
			w->arc_is_repeated[r->arc] = false;
	}
}

static void walk_enter(struct walk *w, node_id n, uint32_t level)
{
	uint32_t f = w->frames[n];
	struct met *met = &w->met[f];

	array_reserve(w->way, w->way_cap, (size_t)level + 1);
	w->way[level] = f;
	if (met->level && met->level < level && w->way[met->level] == f) {
		walk_repeat(w, n, level);
		return;
	}
	*met = (struct met){ level, level };
	w->nodes->hops[n] = 0;
	w->nodes->flags[n] = 0;
}

/* Links the fresh nodes and those above them into lists of children, smallest first. */
static void walk_link(struct walk *w)
{
	uint8_t *flags = w->nodes->flags;

	w->child[NODE_ROOT] = 0;
	for (size_t n = w->nodes->nr; n-- > 1;) {
		node_id parent = w->parents[n];

		if (!(flags[n] & (NODE_FRESH | NODE_ON_WAY)))
			continue;
		if (!(flags[n] & NODE_ON_WAY))
			w->child[n] = 0;
		if (parent && !(flags[parent] & NODE_ON_WAY)) {
			flags[parent] |= NODE_ON_WAY;
			w->child[parent] = 0;
		}
		w->sibling[n] = w->child[parent];
		w->child[parent] = n;
	}
}

/* A sibling stands anywhere; what is under its elder one gives time to fetch it. */
static void walk_later(struct walk *w, node_id n, uint32_t level)
{
	__builtin_prefetch(&w->frames[n]);
	__builtin_prefetch(&w->sibling[n]);
	__builtin_prefetch(&w->nodes->hops[n], 1);
	__builtin_prefetch(&w->nodes->flags[n], 1);
	array_reserve(w->pendings, w->pendings_cap, w->nr_pendings + 1);
	w->pendings[w->nr_pendings++] = (struct pending){ n, level };
}

/* Goes through the linked nodes, children in the order of their numbers. */
static void walk_all(struct walk *w)
{
	node_id n = w->child[NODE_ROOT];
	uint32_t level = 1;

	while (n) {
		node_id child = w->child[n];

		if (w->sibling[n])
			walk_later(w, w->sibling[n], level);
		walk_enter(w, n, level);
		if (child) {
			n = child;
			level++;
			continue;
		}
		if (!w->nr_pendings)
			return;
		n = w->pendings[--w->nr_pendings].node;
		level = w->pendings[w->nr_pendings].level;
		walk_undo(w, level);
	}
}

void callgraph_shape_find(struct graph *g, struct callgraph_nodes *nodes, const struct profile *p)
{
	__attribute__((cleanup(walk_deinit))) struct walk w = {
		.parents = profile_parents(p),
		.frames = profile_node_frames(p),
		.nodes = nodes,
		.functions = g->functions,
		.met = xcalloc(g->nr_functions, sizeof(*w.met)),
		.again = xcalloc(g->nr_functions, sizeof(*w.again)),
		.arc_is_repeated = xcalloc(g->nr_arcs, sizeof(*w.arc_is_repeated)),
		.child = nodes->hops,
		.sibling = xmalloc(nodes->nr * sizeof(*w.sibling)),
	};

	array_reserve(w.way, w.way_cap, 1);
	w.way[0] = GRAPH_NOBODY;
	walk_link(&w);
	walk_all(&w);
	w.child[NODE_ROOT] = 0; /* the root's hops again */
}
