// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exact numbers by the trie: a function (an arc) gets a node's whole subtree when the node is
 * the first of it on the way from the root.  Which nodes are the first is shape and is found once
 * per node, by a walk with counters per function and per arc; the weights are then one loop.
 *
 * A node joins the graph when samples arrive at or under it.  Later updates walk only the new
 * nodes and those above them.
 */
#include "analysis/callgraph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name_rank.h"
#include "analysis/phantom.h"
#include "util/hash.h"
#include "util/mem.h"

/* The key stands in the slot: the arcs themselves are too many to fit a cache. */
struct arc_slot {
	uint64_t key; /* caller << 32 | callee; 0: empty, for no callee is nobody */
	uint32_t arc;
};

struct callgraph {
	struct graph graph;
	struct cycles cycles;
	struct callgraph_nodes nodes;
	struct name_rank names;
	struct arc_slot *slots;
	size_t mask;
	uint64_t total;
};

struct callgraph *callgraph_new(void)
{
	struct callgraph *cg = xcalloc(1, sizeof(*cg));

	cg->mask = 1023;
	cg->slots = xcalloc(cg->mask + 1, sizeof(*cg->slots));
	graph_init(&cg->graph, 0);
	cg->graph.is_sampled = true;
	return cg;
}

void callgraph_free(struct callgraph *cg)
{
	if (!cg)
		return;
	graph_deinit(&cg->graph);
	cycles_deinit(&cg->cycles);
	name_rank_deinit(&cg->names);
	free(cg->nodes.sums);
	free(cg->nodes.arcs);
	free(cg->nodes.hops);
	free(cg->nodes.flags);
	free(cg->slots);
	free(cg);
}

/* ---- arcs ------------------------------------------------------------------------------------ */

static uint64_t arc_key(uint32_t caller, uint32_t callee)
{
	return (uint64_t)caller << 32 | callee;
}

/* The slot that holds the key, or the empty one where it belongs. */
static struct arc_slot *arc_slot(const struct callgraph *cg, uint64_t key)
{
	size_t i = hash_u64(key) & cg->mask;

	while (cg->slots[i].key && cg->slots[i].key != key)
		i = (i + 1) & cg->mask;
	return &cg->slots[i];
}

static void arcs_rehash(struct callgraph *cg)
{
	size_t nr_slots = (cg->mask + 1) * 2;

	free(cg->slots);
	cg->slots = xcalloc(nr_slots, sizeof(*cg->slots));
	cg->mask = nr_slots - 1;
	for (uint32_t a = 0; a < cg->graph.nr_arcs; a++) {
		uint64_t key = arc_key(cg->graph.arcs[a].caller, cg->graph.arcs[a].callee);

		*arc_slot(cg, key) = (struct arc_slot){ key, a };
	}
}

/* The arc's number, made when it is not there. */
static uint32_t arc_intern(struct callgraph *cg, uint64_t key)
{
	struct arc_slot *slot = arc_slot(cg, key);
	uint32_t a;

	if (slot->key)
		return slot->arc;
	a = graph_add_arc(&cg->graph, key >> 32, (uint32_t)key, 0);
	*slot = (struct arc_slot){ key, a };
	if (cg->graph.nr_arcs >= (cg->mask + 1) / 4 * 3)
		arcs_rehash(cg);
	return a;
}

/*
 * Gives every node that has samples and no arc yet its arc; returns how many.  The table is far
 * larger than the caches on a large graph: the slots of the nodes ahead are fetched early.
 */
static size_t intern_arcs(struct callgraph *cg, const struct profile *p)
{
	enum { AHEAD = 16 };
	const node_id *parents = profile_parents(p);
	const frame_id *frames = profile_node_frames(p);
	struct callgraph_nodes *nodes = &cg->nodes;
	uint64_t keys[AHEAD] = { 0 };
	size_t nr_fresh = 0;

	for (size_t n = 1; n < nodes->nr + AHEAD; n++) {
		size_t back = n - AHEAD;

		if (n > AHEAD && nodes->arcs[back] == ARC_NONE && nodes->sums[back]) {
			nodes->arcs[back] = arc_intern(cg, keys[back % AHEAD]);
			nodes->flags[back] = NODE_FRESH;
			nr_fresh++;
		}
		if (n < nodes->nr && nodes->arcs[n] == ARC_NONE) {
			keys[n % AHEAD] = arc_key(frames[parents[n]], frames[n]);
			__builtin_prefetch(&cg->slots[hash_u64(keys[n % AHEAD]) & cg->mask]);
		}
	}
	return nr_fresh;
}

/* ---- shape ----------------------------------------------------------------------------------- */

/*
 * The walk goes depth first.  way[] holds the functions from the root to where it is, so a level
 * that a function was last met at is known to be stale when another function stands there by now:
 * nothing has to be cleared on the way back up.  Only repeated functions, the rare case, are
 * put on a stack and undone.
 */
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
	if (++w->again[f] >= w->functions[f].depth)
		w->functions[f].depth = w->again[f] + 1;
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

static void find_shape(struct callgraph *cg, const struct profile *p)
{
	const struct graph *g = &cg->graph;
	__attribute__((cleanup(walk_deinit))) struct walk w = {
		.parents = profile_parents(p),
		.frames = profile_node_frames(p),
		.nodes = &cg->nodes,
		.functions = g->functions,
		.met = xcalloc(g->nr_functions, sizeof(*w.met)),
		.again = xcalloc(g->nr_functions, sizeof(*w.again)),
		.arc_is_repeated = xcalloc(g->nr_arcs, sizeof(*w.arc_is_repeated)),
		.child = cg->nodes.hops,
		.sibling = xmalloc(cg->nodes.nr * sizeof(*w.sibling)),
	};

	array_reserve(w.way, w.way_cap, 1);
	w.way[0] = GRAPH_NOBODY;
	walk_link(&w);
	walk_all(&w);
	w.child[NODE_ROOT] = 0; /* the root's hops again */
}

/* ---- weights --------------------------------------------------------------------------------- */

/* No function's occurrences exceed depth * total; what is a sum of many is checked elsewhere. */
static int check_sums(const struct callgraph *cg)
{
	uint32_t depth = 0;
	uint64_t product;

	for (uint32_t f = 0; f < cg->graph.nr_functions; f++)
		if (cg->graph.functions[f].depth > depth)
			depth = cg->graph.functions[f].depth;
	return __builtin_mul_overflow(depth, cg->total, &product) ? -EOVERFLOW : 0;
}

/*
 * Each node adds its sum to one cell, the arc's; the rest follows from that.  What stands again is
 * rare and is subtracted.  `inclusive` holds those excesses until the end.
 */
static void find_weights(struct callgraph *cg, const struct profile *p)
{
	enum { AHEAD = 16 };
	const frame_id *frames = profile_node_frames(p);
	const uint64_t *selves = profile_selves(p);
	const struct callgraph_nodes *nodes = &cg->nodes;
	struct graph *g = &cg->graph;
	_cleanup_free_ uint64_t *arc_frames = xcalloc((size_t)g->nr_arcs + 1, sizeof(*arc_frames));

	for (uint32_t f = 0; f < g->nr_functions; f++)
		g->functions[f] = (struct graph_function){ .depth = g->functions[f].depth };
	for (uint32_t a = 0; a < g->nr_arcs; a++)
		g->arcs[a].inclusive = 0;
	for (size_t n = 1; n < nodes->nr; n++) {
		uint32_t a = nodes->arcs[n];

		if (n + AHEAD < nodes->nr && nodes->arcs[n + AHEAD] != ARC_NONE)
			__builtin_prefetch(&arc_frames[nodes->arcs[n + AHEAD]], 1);
		if (a == ARC_NONE)
			continue;
		arc_frames[a] += nodes->sums[n];
		if (selves[n])
			g->functions[frames[n]].self += selves[n];
		if (!nodes->flags[n])
			continue;
		if (nodes->flags[n] & NODE_AGAIN)
			g->functions[frames[n]].inclusive += nodes->sums[n];
		if (nodes->flags[n] & NODE_ARC_AGAIN)
			g->arcs[a].inclusive += nodes->sums[n];
	}
	for (uint32_t a = 0; a < g->nr_arcs; a++) {
		struct graph_arc *arc = &g->arcs[a];

		arc->frames = arc_frames[a];
		arc->inclusive = arc->frames - arc->inclusive;
		g->functions[arc->callee].frames += arc->frames;
	}
	for (uint32_t f = 0; f < g->nr_functions; f++) {
		struct graph_function *function = &g->functions[f];

		function->inclusive = function->frames - function->inclusive;
		if (function->frames && !function->depth)
			function->depth = 1;
	}
}

/* ---- update ---------------------------------------------------------------------------------- */

static void grow_nodes(struct callgraph_nodes *nodes, size_t nr)
{
	if (nr > nodes->cap) {
		size_t cap = nodes->cap ? array_capacity(nodes->cap, nr) : nr;

		nodes->sums = xreallocarray(nodes->sums, cap, sizeof(*nodes->sums));
		nodes->arcs = xreallocarray(nodes->arcs, cap, sizeof(*nodes->arcs));
		nodes->hops = xreallocarray(nodes->hops, cap, sizeof(*nodes->hops));
		nodes->flags = xreallocarray(nodes->flags, cap, sizeof(*nodes->flags));
		nodes->cap = cap;
	}
	memset(nodes->arcs + nodes->nr, 0xff, (nr - nodes->nr) * sizeof(*nodes->arcs));
	memset(nodes->hops + nodes->nr, 0, (nr - nodes->nr) * sizeof(*nodes->hops));
	memset(nodes->flags + nodes->nr, 0, (nr - nodes->nr) * sizeof(*nodes->flags));
	nodes->nr = nr;
}

static void grow_functions(struct graph *g, uint32_t nr)
{
	g->functions = xreallocarray(g->functions, nr, sizeof(*g->functions));
	memset(g->functions + g->nr_functions, 0, (nr - g->nr_functions) * sizeof(*g->functions));
	g->nr_functions = nr;
}

int callgraph_update(struct callgraph *cg, const struct profile *p, struct diag *ret_diag)
{
	const struct frame_table *frames = profile_frames(p);

	cg->total = profile_total(p);
	grow_nodes(&cg->nodes, profile_nr_nodes(p));
	grow_functions(&cg->graph, frame_table_nr(frames));
	name_rank_update(&cg->names, frames);
	cg->graph.name_rank = cg->names.ranks;
	profile_sum(p, cg->nodes.sums);
	if (intern_arcs(cg, p))
		find_shape(cg, p);
	if (check_sums(cg) < 0)
		return diag_set(ret_diag, EOVERFLOW,
				"call graph: the occurrences of a function exceed 64 bits");
	find_weights(cg, p);
	graph_index(&cg->graph);
	if (cycles_find(&cg->cycles, &cg->graph) < 0)
		return diag_set(ret_diag, EOVERFLOW,
				"call graph: the calls inside a cycle exceed 64 bits");
	phantom_measure(&cg->cycles, &cg->graph, &cg->nodes, p);
	return 0;
}

const struct graph *callgraph_graph(const struct callgraph *cg)
{
	return &cg->graph;
}

const struct cycles *callgraph_cycles(const struct callgraph *cg)
{
	return &cg->cycles;
}

uint64_t callgraph_total(const struct callgraph *cg)
{
	return cg->total;
}

size_t callgraph_bytes(const struct callgraph *cg)
{
	const struct callgraph_nodes *nodes = &cg->nodes;
	const struct graph *g = &cg->graph;

	return nodes->cap * (sizeof(*nodes->sums) + sizeof(*nodes->arcs) + sizeof(*nodes->hops) +
			     sizeof(*nodes->flags)) +
	       g->cap_arcs * sizeof(*g->arcs) + (cg->mask + 1) * sizeof(*cg->slots) +
	       g->nr_arcs * (sizeof(*g->out_arc) + sizeof(*g->out_callee) + sizeof(*g->in_arc)) +
	       g->nr_functions * (sizeof(*g->functions) + sizeof(*g->out_start) * 5ul);
}
