// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Components with their sums, and the numbering of cycles.
 *
 * Tarjan yields callees first, so a loop upwards over the components finds what every callee
 * costs before a caller asks, and a loop downwards meets callers first.
 */
#include "analysis/cycles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scc.h"
#include "util/cleanup.h"
#include "util/mem.h"

void cycles_deinit(struct cycles *c)
{
	free(c->of);
	free(c->components);
	free(c->members);
	free(c->printed);
	free(c->numbers);
	*c = (struct cycles){ 0 };
}

struct arc_share cycles_share(const struct cycles *c, const struct graph *g,
			      const struct graph_arc *arc)
{
	const struct component *x = cycles_of(c, arc->callee);
	unsigned __int128 count = arc->frames;

	if (g->is_sampled)
		return (struct arc_share){ arc->ends, arc->frames - arc->ends };
	if (!x->arrivals)
		return (struct arc_share){ 0, 0 };
	return (struct arc_share){
		.self = (count * x->self + x->arrivals / 2) / x->arrivals,
		.children = (count * x->children + x->arrivals / 2) / x->arrivals,
	};
}

/* Members of a component, by their weight falling, then by name. */
struct member_key {
	uint64_t weight;
	uint32_t rank, function;
};

static int compare_members(const void *va, const void *vb)
{
	const struct member_key *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return 0;
}

static void sort_members(struct cycles *c, const struct graph *g, const struct component *x)
{
	_cleanup_free_ struct member_key *keys = NULL;
	uint32_t *members = c->members + x->first;

	if (x->nr < 2)
		return;
	keys = xmalloc(x->nr * sizeof(*keys));
	for (uint32_t i = 0; i < x->nr; i++) {
		const struct graph_function *f = &g->functions[members[i]];

		keys[i] = (struct member_key){
			.weight = g->is_sampled ? f->inclusive : f->self,
			.rank = graph_rank(g, members[i]),
			.function = members[i],
		};
	}
	qsort(keys, x->nr, sizeof(*keys), compare_members);
	for (uint32_t i = 0; i < x->nr; i++)
		members[i] = keys[i].function;
}

/* Groups the functions by component (a counting sort) and adds up their self. */
static void collect_members(struct cycles *c, const struct graph *g)
{
	uint32_t first = 0;

	c->components = xreallocarray(c->components, c->nr_components, sizeof(*c->components));
	memset(c->components, 0, c->nr_components * sizeof(*c->components));
	c->members = xreallocarray(c->members, g->nr_functions, sizeof(*c->members));
	for (uint32_t f = 0; f < g->nr_functions; f++)
		c->components[c->of[f]].nr++;
	for (uint32_t x = 0; x < c->nr_components; x++) {
		c->components[x].first = first;
		first += c->components[x].nr;
		c->components[x].nr = 0;
	}
	c->total_self = 0;
	for (uint32_t f = 0; f < g->nr_functions; f++) {
		struct component *x = &c->components[c->of[f]];

		c->members[x->first + x->nr++] = f;
		x->self += g->functions[f].self;
		c->total_self += g->functions[f].self;
	}
}

/* Arrivals, inner calls and entries of every component. */
static int count_arcs(struct cycles *c, const struct graph *g)
{
	for (uint32_t f = 0; f < g->nr_functions; f++) {
		struct component *x = &c->components[c->of[f]];
		bool is_entry = false, overflow = false;

		for (uint32_t i = g->in_start[f]; i < g->in_start[f + 1]; i++) {
			const struct graph_arc *arc = &g->arcs[g->in_arc[i]];
			bool is_inner = cycles_is_inner(c, arc);
			uint64_t *sum = is_inner ? &x->inner : &x->arrivals;

			is_entry |= !is_inner;
			overflow |= __builtin_add_overflow(*sum, arc->frames, sum);
		}
		if (overflow)
			return -EOVERFLOW;
		x->nr_entries += is_entry;
	}
	return 0;
}

/* What a function of the component passes on to callees outside of it. */
static void add_children(const struct cycles *c, const struct graph *g, uint32_t function,
			 struct component *from)
{
	for (uint32_t i = g->out_start[function]; i < g->out_start[function + 1]; i++) {
		const struct graph_arc *arc = &g->arcs[g->out_arc[i]];
		struct arc_share share = { 0, 0 };

		if (cycles_is_inner(c, arc))
			continue;
		/* Of a sampled arc, the count is the cost. */
		if (g->is_sampled)
			share.self = arc->frames;
		else
			share = cycles_share(c, g, arc);
		from->children += share.self + share.children;
	}
}

/* Callees are at least one level below. */
static void push_down(struct cycles *c, const struct graph *g, uint32_t function,
		      const struct component *from)
{
	for (uint32_t i = g->out_start[function]; i < g->out_start[function + 1]; i++) {
		struct component *to = &c->components[c->of[g->out_callee[i]]];

		if (to != from && to->level <= from->level)
			to->level = from->level + 1;
	}
}

/* What every component passes on (callees first), then the levels (callers first). */
static void propagate(struct cycles *c, const struct graph *g)
{
	for (uint32_t x = 0; x < c->nr_components; x++) {
		struct component *from = &c->components[x];

		for (uint32_t m = from->first; m < from->first + from->nr; m++)
			add_children(c, g, c->members[m], from);
	}
	for (uint32_t x = c->nr_components; x-- > 0;) {
		const struct component *from = &c->components[x];

		for (uint32_t m = from->first; m < from->first + from->nr; m++)
			push_down(c, g, c->members[m], from);
	}
}

struct cycle_key {
	uint64_t time;
	uint32_t level, rank, component;
};

static int compare_cycles(const void *va, const void *vb)
{
	const struct cycle_key *a = va, *b = vb;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Sorts the cycles' members and the cycles: largest time, callers, smallest name first. */
static void order_cycles(struct cycles *c, const struct graph *g)
{
	_cleanup_free_ struct cycle_key *keys = NULL;
	size_t cap = 0;

	c->nr_cycles = 0;
	for (uint32_t i = 0; i < c->nr_components; i++) {
		const struct component *x = &c->components[i];
		uint32_t rank = UINT32_MAX;

		if (x->nr < 2)
			continue;
		sort_members(c, g, x);
		for (uint32_t m = x->first; m < x->first + x->nr; m++)
			if (graph_rank(g, c->members[m]) < rank)
				rank = graph_rank(g, c->members[m]);
		array_reserve(keys, cap, (size_t)c->nr_cycles + 1);
		keys[c->nr_cycles++] =
			(struct cycle_key){ x->self + x->children, x->level, rank, i };
	}
	if (c->nr_cycles)
		qsort(keys, c->nr_cycles, sizeof(*keys), compare_cycles);
	c->printed = xreallocarray(c->printed, c->nr_cycles, sizeof(*c->printed));
	for (uint32_t i = 0; i < c->nr_cycles; i++)
		c->printed[i] = keys[i].component;
}

/* The number of the largest of the members that was the largest of a cycle before; 0: none. */
static uint32_t earlier_number(const struct cycles *c, const struct component *x, const bool *taken)
{
	for (uint32_t m = x->first; m < x->first + x->nr; m++) {
		uint32_t f = c->members[m], number = f < c->nr_numbers ? c->numbers[f] : 0;

		if (number && !taken[number])
			return number;
	}
	return 0;
}

/*
 * Numbers from 1 in printed order, but a cycle that holds the largest member of an earlier one
 * keeps that one's number (even above nr_cycles), so that a refreshed display does not renumber
 * what the reader is looking at.
 */
static void number_cycles(struct cycles *c, const struct graph *g)
{
	_cleanup_free_ bool *taken = NULL;
	uint32_t next = 1, highest = c->nr_cycles;

	for (uint32_t f = 0; f < c->nr_numbers; f++)
		if (c->numbers[f] > highest)
			highest = c->numbers[f];
	taken = xcalloc((size_t)highest + 2, sizeof(*taken));
	for (uint32_t i = 0; i < c->nr_cycles; i++) {
		struct component *x = &c->components[c->printed[i]];

		x->number = earlier_number(c, x, taken);
		taken[x->number] = true;
	}
	c->numbers = xreallocarray(c->numbers, g->nr_functions, sizeof(*c->numbers));
	c->nr_numbers = g->nr_functions;
	memset(c->numbers, 0, c->nr_numbers * sizeof(*c->numbers));
	for (uint32_t i = 0; i < c->nr_cycles; i++) {
		struct component *x = &c->components[c->printed[i]];

		if (!x->number) {
			while (taken[next])
				next++;
			taken[next] = true;
			x->number = next;
		}
		c->numbers[c->members[x->first]] = x->number;
	}
}

int cycles_find(struct cycles *c, const struct graph *g)
{
	int r;

	c->of = xreallocarray(c->of, g->nr_functions, sizeof(*c->of));
	c->nr_components = scc_find(g->nr_functions, g->out_start, g->out_callee, c->of);
	collect_members(c, g);
	r = count_arcs(c, g);
	if (r < 0)
		return r;
	propagate(c, g);
	order_cycles(c, g);
	number_cycles(c, g);
	return 0;
}
