// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The entries are made at once; their lines only when asked for, into one array that is reused:
 * together the lines are three times the arcs.  The lines of an entry are collected in any order
 * with a sort key each, and sorted.
 */
#include "analysis/gprof.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

/* Blocks of an entry, in printed order. */
enum block {
	BLOCK_CALLERS,	     /* outside, rising */
	BLOCK_INNER_CALLERS, /* same cycle or the function itself, rising */
	BLOCK_PRIMARY,
	BLOCK_MEMBERS,	     /* falling */
	BLOCK_INNER_CALLEES, /* falling */
	BLOCK_CALLEES,	     /* outside, falling */
};

/* ---- entries --------------------------------------------------------------------------------- */

struct entry_key {
	struct gprof_entry entry;
	uint32_t level, rank;
};

/* Largest time first; ties: callers first, a cycle before its members, then by name. */
static int compare_entries(const void *va, const void *vb)
{
	const struct entry_key *a = va, *b = vb;
	uint64_t time_a = a->entry.self + a->entry.children;
	uint64_t time_b = b->entry.self + b->entry.children;

	if (time_a != time_b)
		return time_a > time_b ? -1 : 1;
	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	if (!a->entry.function != !b->entry.function)
		return a->entry.function ? 1 : -1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static uint64_t children_of(const struct gprof *gp, uint32_t f)
{
	const struct graph *g = gp->graph;
	uint64_t sum = 0;

	for (uint32_t i = g->out_start[f]; i < g->out_start[f + 1]; i++) {
		const struct graph_arc *arc = &g->arcs[g->out_arc[i]];

		if (!cycles_is_inner(gp->cycles, arc)) {
			struct arc_share share = cycles_share(gp->cycles, g, arc);

			sum += share.self + share.children;
		}
	}
	return sum;
}

static void add_entries(struct gprof *gp)
{
	const struct graph *g = gp->graph;
	const struct cycles *c = gp->cycles;
	_cleanup_free_ struct entry_key *keys =
		xmalloc(((size_t)g->nr_functions + c->nr_cycles) * sizeof(*keys));
	size_t nr = 0;

	for (uint32_t f = 1; f < g->nr_functions; f++) {
		if (!graph_has(g, f))
			continue;
		gp->children[f] = children_of(gp, f);
		keys[nr++] = (struct entry_key){
			.entry = { f, c->of[f], g->functions[f].self, gp->children[f] },
			.level = cycles_of(c, f)->level,
			.rank = graph_rank(g, f),
		};
	}
	for (uint32_t i = 0; i < c->nr_cycles; i++) {
		const struct component *x = &c->components[c->printed[i]];

		keys[nr++] = (struct entry_key){
			.entry = { GRAPH_NOBODY, c->printed[i], x->self, x->children },
			.level = x->level,
			.rank = i,
		};
	}
	qsort(keys, nr, sizeof(*keys), compare_entries);
	gp->entries = xmalloc(nr * sizeof(*gp->entries));
	gp->nr_entries = nr;
	for (size_t i = 0; i < nr; i++) {
		gp->entries[i] = keys[i].entry;
		if (keys[i].entry.function)
			gp->function_index[keys[i].entry.function] = i + 1;
		else
			gp->component_index[keys[i].entry.component] = i + 1;
	}
}

struct gprof *gprof_new(const struct graph *graph, const struct cycles *cycles)
{
	struct gprof *gp = xcalloc(1, sizeof(*gp));

	gp->graph = graph;
	gp->cycles = cycles;
	gp->children = xcalloc(graph->nr_functions, sizeof(*gp->children));
	gp->function_index = xcalloc(graph->nr_functions, sizeof(*gp->function_index));
	gp->component_index = xcalloc(cycles->nr_components, sizeof(*gp->component_index));
	gp->merged = xcalloc(graph->nr_functions, sizeof(*gp->merged));
	add_entries(gp);
	return gp;
}

void gprof_free(struct gprof *gp)
{
	if (!gp)
		return;
	free(gp->entries);
	free(gp->function_index);
	free(gp->component_index);
	free(gp->children);
	free(gp->lines);
	free(gp->merged);
	free(gp);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static struct gprof_line *add_line(struct gprof *gp, enum gprof_role role, uint32_t function)
{
	struct gprof_line *line;

	array_reserve(gp->lines, gp->cap_lines, gp->nr_lines + 1);
	line = &gp->lines[gp->nr_lines++];
	*line = (struct gprof_line){ .role = role, .function = function };
	if (function) {
		line->index = gp->function_index[function];
		line->cycle = cycles_of(gp->cycles, function)->number;
	}
	return line;
}

/* An arc between components, seen from the entry of either end. */
static void fill_outer(struct gprof *gp, struct gprof_line *line, const struct graph_arc *arc)
{
	struct arc_share share = cycles_share(gp->cycles, gp->graph, arc);

	line->has_time = true;
	line->self += share.self;
	line->children += share.children;
	line->called = GPROF_CALLED_OF;
	line->calls += arc->frames;
	line->more = cycles_of(gp->cycles, arc->callee)->arrivals;
}

/* An arc inside a component carries no time in gprof; the stacks know how much it really has. */
static void fill_inner(struct gprof *gp, struct gprof_line *line, const struct graph_arc *arc)
{
	line->called = GPROF_CALLED;
	line->calls = arc->frames;
	line->has_inclusive = gp->graph->is_sampled;
	line->inclusive = arc->inclusive;
}

static void add_callers(struct gprof *gp, uint32_t f)
{
	const struct graph *g = gp->graph;

	for (uint32_t i = g->in_start[f]; i < g->in_start[f + 1]; i++) {
		const struct graph_arc *arc = &g->arcs[g->in_arc[i]];
		enum gprof_role role = arc->caller ? GPROF_CALLER : GPROF_SPONTANEOUS;
		struct gprof_line *line = add_line(gp, role, arc->caller);

		if (cycles_is_inner(gp->cycles, arc))
			fill_inner(gp, line, arc);
		else
			fill_outer(gp, line, arc);
	}
	if (g->in_start[f] == g->in_start[f + 1])
		add_line(gp, GPROF_SPONTANEOUS, GRAPH_NOBODY);
}

static void add_callees(struct gprof *gp, uint32_t f)
{
	const struct graph *g = gp->graph;

	for (uint32_t i = g->out_start[f]; i < g->out_start[f + 1]; i++) {
		const struct graph_arc *arc = &g->arcs[g->out_arc[i]];
		struct gprof_line *line = add_line(gp, GPROF_CALLEE, arc->callee);

		if (cycles_is_inner(gp->cycles, arc))
			fill_inner(gp, line, arc);
		else
			fill_outer(gp, line, arc);
	}
}

static uint64_t calls_of_itself(const struct graph *g, uint32_t f)
{
	for (uint32_t i = g->out_start[f]; i < g->out_start[f + 1]; i++)
		if (g->out_callee[i] == f)
			return g->arcs[g->out_arc[i]].frames;
	return 0;
}

static void add_function_primary(struct gprof *gp, const struct gprof_entry *entry)
{
	const struct graph *g = gp->graph;
	uint32_t f = entry->function;
	bool is_member = cycles_of(gp->cycles, f)->number;
	struct gprof_line *line = add_line(gp, GPROF_PRIMARY, f);

	line->has_time = true;
	line->self = entry->self;
	line->children = entry->children;
	for (uint32_t i = g->in_start[f]; i < g->in_start[f + 1]; i++)
		if (!cycles_is_inner(gp->cycles, &g->arcs[g->in_arc[i]]))
			line->calls += g->arcs[g->in_arc[i]].frames;
	line->more = calls_of_itself(g, f);
	if (line->more)
		line->called = GPROF_CALLED_PLUS;
	else if (line->calls || is_member)
		line->called = GPROF_CALLED;
	line->has_inclusive = is_member && g->is_sampled;
	line->inclusive = g->functions[f].inclusive;
}

/* ---- a cycle as a whole ---------------------------------------------------------------------- */

/* The line of the function at the other end: one for all arcs to (from) the members. */
static struct gprof_line *merged_line(struct gprof *gp, enum gprof_role role, uint32_t function)
{
	uint32_t at = gp->merged[function];

	if (at)
		return &gp->lines[at - 1];
	gp->merged[function] = gp->nr_lines + 1;
	return add_line(gp, function ? role : GPROF_SPONTANEOUS, function);
}

static void add_member(struct gprof *gp, uint32_t f)
{
	const struct graph *g = gp->graph;
	struct gprof_line *line = add_line(gp, GPROF_MEMBER, f);

	line->has_time = true;
	line->self = g->functions[f].self;
	line->children = gp->children[f];
	line->called = GPROF_CALLED;
	for (uint32_t i = g->in_start[f]; i < g->in_start[f + 1]; i++)
		if (cycles_is_inner(gp->cycles, &g->arcs[g->in_arc[i]]))
			line->calls += g->arcs[g->in_arc[i]].frames;
	line->has_inclusive = g->is_sampled;
	line->inclusive = g->functions[f].inclusive;
}

static void add_cycle(struct gprof *gp, const struct gprof_entry *entry)
{
	const struct graph *g = gp->graph;
	const struct component *x = &gp->cycles->components[entry->component];
	const uint32_t *members = gp->cycles->members + x->first;
	struct gprof_line *line;

	for (uint32_t m = 0; m < x->nr; m++)
		for (uint32_t i = g->in_start[members[m]]; i < g->in_start[members[m] + 1]; i++) {
			const struct graph_arc *arc = &g->arcs[g->in_arc[i]];

			if (!cycles_is_inner(gp->cycles, arc))
				fill_outer(gp, merged_line(gp, GPROF_CALLER, arc->caller), arc);
		}
	if (!gp->nr_lines)
		add_line(gp, GPROF_SPONTANEOUS, GRAPH_NOBODY);
	for (size_t i = 0; i < gp->nr_lines; i++)
		gp->merged[gp->lines[i].function] = 0;
	line = add_line(gp, GPROF_PRIMARY, GRAPH_NOBODY);
	*line = (struct gprof_line){
		.role = GPROF_PRIMARY,
		.cycle = x->number,
		.index = gp->component_index[entry->component],
		.has_time = true,
		.called = GPROF_CALLED_PLUS,
		.self = x->self,
		.children = x->children,
		.calls = x->arrivals,
		.more = x->inner,
	};
	for (uint32_t m = 0; m < x->nr; m++)
		add_member(gp, members[m]);
	for (uint32_t m = 0; m < x->nr; m++)
		for (uint32_t i = g->out_start[members[m]]; i < g->out_start[members[m] + 1]; i++) {
			const struct graph_arc *arc = &g->arcs[g->out_arc[i]];

			if (!cycles_is_inner(gp->cycles, arc))
				fill_outer(gp, merged_line(gp, GPROF_CALLEE, arc->callee), arc);
		}
	for (size_t i = 0; i < gp->nr_lines; i++)
		gp->merged[gp->lines[i].function] = 0;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct line_key {
	struct gprof_line line;
	enum block block;
	uint32_t rank;
};

static int compare_lines(const void *va, const void *vb)
{
	const struct line_key *a = va, *b = vb;
	uint64_t time_a = a->line.self + a->line.children;
	uint64_t time_b = b->line.self + b->line.children;
	int falling;

	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	falling = a->block <= BLOCK_INNER_CALLERS ? -1 : 1;
	if (time_a != time_b)
		return time_a > time_b ? -falling : falling;
	if (a->line.calls != b->line.calls)
		return a->line.calls > b->line.calls ? -falling : falling;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static enum block line_block(const struct gprof_line *line)
{
	bool is_inner = line->called == GPROF_CALLED; /* of callers and callees */

	switch (line->role) {
	case GPROF_SPONTANEOUS:
		break;
	case GPROF_CALLER:
		return is_inner ? BLOCK_INNER_CALLERS : BLOCK_CALLERS;
	case GPROF_PRIMARY:
		return BLOCK_PRIMARY;
	case GPROF_MEMBER:
		return BLOCK_MEMBERS;
	case GPROF_CALLEE:
		return is_inner ? BLOCK_INNER_CALLEES : BLOCK_CALLEES;
	}
	return BLOCK_CALLERS;
}

static void sort_lines(struct gprof *gp)
{
	_cleanup_free_ struct line_key *keys = xmalloc(gp->nr_lines * sizeof(*keys));

	for (size_t i = 0; i < gp->nr_lines; i++)
		keys[i] = (struct line_key){
			.line = gp->lines[i],
			.block = line_block(&gp->lines[i]),
			.rank = gp->lines[i].function ? graph_rank(gp->graph, gp->lines[i].function)
						      : 0,
		};
	qsort(keys, gp->nr_lines, sizeof(*keys), compare_lines);
	for (size_t i = 0; i < gp->nr_lines; i++)
		gp->lines[i] = keys[i].line;
}

const struct gprof_line *gprof_lines(struct gprof *gp, size_t i, size_t *ret_nr)
{
	const struct gprof_entry *entry = &gp->entries[i];

	gp->nr_lines = 0;
	if (entry->function) {
		add_callers(gp, entry->function);
		add_function_primary(gp, entry);
		add_callees(gp, entry->function);
	} else {
		add_cycle(gp, entry);
	}
	sort_lines(gp);
	*ret_nr = gp->nr_lines;
	return gp->lines;
}
