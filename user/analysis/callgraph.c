// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exact numbers by the trie: a function (an arc) gets a node's whole subtree when the node is
 * the first of it on the way from the root.  Which nodes are the first is shape and is found once
 * per node (callgraph_shape.c); the weights are then one loop.
 *
 * A node joins the graph when samples arrive at or under it.  Later updates walk only the new
 * nodes and those above them.  It leaves when its samples are taken back, and an arc with its last
 * node: else arcs of nobody would close cycles.
 */
#include "analysis/callgraph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/callgraph_shape.h"
#include "analysis/name_rank.h"
#include "analysis/phantom.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_ARCS 768

/* The key stands in the slot: the arcs themselves are too many to fit a cache. */
struct arc_slot {
	uint64_t key; /* caller << 32 | callee; 0: empty, for no callee is nobody */
	uint32_t arc;
};

DEFINE_TABLE(arc_slots, struct arc_slot, uint64_t, void)

struct callgraph {
	struct graph graph;
	struct cycles cycles;
	struct callgraph_nodes nodes;
	struct name_rank names;
	struct arc_slots slots;
	uint64_t total;
};

struct callgraph *callgraph_new(void)
{
	struct callgraph *cg = xcalloc(1, sizeof(*cg));

	arc_slots_init(&cg->slots, FIRST_ARCS);
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
	free(cg->nodes.again);
	arc_slots_deinit(&cg->slots);
	free(cg);
}

/* ---- arcs ------------------------------------------------------------------------------------ */

static uint64_t arc_key(uint32_t caller, uint32_t callee)
{
	return (uint64_t)caller << 32 | callee;
}

static bool arc_slots_is_used(const struct arc_slot *slot)
{
	return slot->key != 0;
}

static uint64_t arc_slots_hash(const void *nobody, const struct arc_slot *slot)
{
	return hash_u64(slot->key);
}

static bool arc_slots_equals(const void *nobody, const struct arc_slot *slot, const uint64_t *key)
{
	return slot->key == *key;
}

/* The arc's number, made when it is not there. */
static uint32_t arc_intern(struct callgraph *cg, uint64_t key)
{
	bool is_new;
	struct arc_slot *slot = arc_slots_get(&cg->slots, NULL, hash_u64(key), &key, &is_new);

	if (is_new) {
		slot->key = key;
		slot->arc = graph_add_arc(&cg->graph, key >> 32, (uint32_t)key, 0);
	}
	return slot->arc;
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
			arc_slots_prefetch(&cg->slots, hash_u64(keys[n % AHEAD]));
		}
	}
	return nr_fresh;
}

/* The nodes without samples leave.  How many did; *ret_again: some of them were NODE_AGAIN. */
static size_t leave_nodes(struct callgraph_nodes *nodes, bool *ret_again)
{
	size_t nr = 0;

	for (size_t n = 1; n < nodes->nr; n++) {
		if (nodes->sums[n] || nodes->arcs[n] == ARC_NONE)
			continue;
		*ret_again |= nodes->hops[n] != 0;
		nodes->arcs[n] = ARC_NONE;
		nodes->hops[n] = 0;
		nodes->flags[n] = 0;
		nr++;
	}
	return nr;
}

/* Takes out the arcs that no node has any more; the others move up. */
static void drop_arcs(struct callgraph *cg)
{
	struct callgraph_nodes *nodes = &cg->nodes;
	struct graph *g = &cg->graph;
	_cleanup_free_ uint32_t *moved = xmalloc(((size_t)g->nr_arcs + 1) * sizeof(*moved));
	uint32_t nr = 0;

	memset(moved, 0xff, g->nr_arcs * sizeof(*moved));
	for (size_t n = 1; n < nodes->nr; n++)
		if (nodes->arcs[n] != ARC_NONE)
			moved[nodes->arcs[n]] = 0;
	for (uint32_t a = 0; a < g->nr_arcs; a++)
		if (moved[a] != ARC_NONE) {
			moved[a] = nr;
			g->arcs[nr++] = g->arcs[a];
		}
	if (nr == g->nr_arcs)
		return;
	g->nr_arcs = nr;
	for (size_t n = 1; n < nodes->nr; n++)
		if (nodes->arcs[n] != ARC_NONE)
			nodes->arcs[n] = moved[nodes->arcs[n]];
	arc_slots_reset(&cg->slots, nr);
	for (uint32_t a = 0; a < nr; a++) {
		uint64_t key = arc_key(g->arcs[a].caller, g->arcs[a].callee);

		*arc_slots_add(&cg->slots, NULL, hash_u64(key)) =
			(struct arc_slot){ .key = key, .arc = a };
	}
}

/* Depths once more, from the nodes that are left. */
static void find_depths(struct callgraph *cg, const struct profile *p)
{
	struct callgraph_nodes *nodes = &cg->nodes;
	const frame_id *frames = profile_node_frames(p);
	size_t nr = 0;

	for (uint32_t f = 0; f < cg->graph.nr_functions; f++)
		cg->graph.functions[f].depth = 0;
	for (size_t i = 0; i < nodes->nr_again; i++) {
		struct node_times again = nodes->again[i];
		struct graph_function *function = &cg->graph.functions[frames[again.node]];

		if (nodes->arcs[again.node] == ARC_NONE)
			continue;
		if (again.times > function->depth)
			function->depth = again.times;
		nodes->again[nr++] = again;
	}
	nodes->nr_again = nr;
}

static void leave(struct callgraph *cg, const struct profile *p)
{
	bool has_again = false;

	if (!leave_nodes(&cg->nodes, &has_again))
		return;
	drop_arcs(cg);
	if (has_again)
		find_depths(cg, p);
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
		if (!function->frames)
			function->depth = 0;
		else if (!function->depth)
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
	leave(cg, p);
	if (intern_arcs(cg, p))
		callgraph_shape_find(&cg->graph, &cg->nodes, p);
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
	       nodes->cap_again * sizeof(*nodes->again) + g->cap_arcs * sizeof(*g->arcs) +
	       arc_slots_bytes(&cg->slots) +
	       g->nr_arcs * (sizeof(*g->out_arc) + sizeof(*g->out_callee) + sizeof(*g->in_arc)) +
	       g->nr_functions * (sizeof(*g->functions) + sizeof(*g->out_start) * 5ul);
}
