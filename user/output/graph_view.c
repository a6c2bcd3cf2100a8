// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names are escaped once per function, not once per line: a table has three lines for every arc.
 */
#include "output/graph_view.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base_marks.h"
#include "profile/frame_text.h"
#include "profile/frame_role.h"
#include "util/mem.h"

static void make_names(struct graph_view *v, bool is_short)
{
	uint32_t nr = v->graph->nr_functions;
	_cleanup_free_ size_t *offsets = xmalloc(nr * sizeof(*offsets));

	/* Offsets first: the text moves while it grows. */
	for (uint32_t f = 0; f < nr; f++) {
		offsets[f] = v->text.len;
		if (!f)
			strbuf_addstr(&v->text, "<spontaneous>");
		else if (graph_has(v->graph, f) && is_short)
			frame_text_add_short(&v->text, v->frames, f);
		else if (graph_has(v->graph, f))
			frame_text_add(&v->text, v->frames, f, false);
		strbuf_addch(&v->text, '\0');
	}
	v->names = xmalloc(nr * sizeof(*v->names));
	for (uint32_t f = 0; f < nr; f++)
		v->names[f] = v->text.bytes + offsets[f];
}

/* Ranks are places by name: comparing strings is done once, not in each of these sorts. */
struct sort_key {
	uint64_t value;
	uint32_t rank, rank2, id;
};

static int compare_keys(const void *va, const void *vb)
{
	const struct sort_key *a = va, *b = vb;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->rank2 < b->rank2 ? -1 : a->rank2 > b->rank2;
}

static void sort_functions(struct graph_view *v, bool by_self)
{
	const struct graph *g = v->graph;
	_cleanup_free_ struct sort_key *keys = xmalloc(g->nr_functions * sizeof(*keys));

	v->nr_functions = 0;
	for (uint32_t f = 1; f < g->nr_functions; f++)
		if (graph_has(g, f))
			keys[v->nr_functions++] = (struct sort_key){
				.value = by_self ? g->functions[f].self : g->functions[f].inclusive,
				.rank = graph_rank(g, f),
				.id = f,
			};
	qsort(keys, v->nr_functions, sizeof(*keys), compare_keys);
	free(v->functions);
	v->functions = xmalloc(v->nr_functions * sizeof(*v->functions));
	for (uint32_t i = 0; i < v->nr_functions; i++)
		v->functions[i] = keys[i].id;
}

void graph_view_sort_by_self(struct graph_view *v)
{
	sort_functions(v, true);
}

void graph_view_shorten(struct graph_view *v)
{
	free(v->names);
	strbuf_reset(&v->text);
	make_names(v, true);
}

int graph_view_init(struct graph_view *v, const struct profile *p, bool with_estimate,
		    struct diag *ret_diag)
{
	_cleanup_callgraph_ struct callgraph *cg = callgraph_new();
	struct estimate_opts opts = ESTIMATE_OPTS_DEFAULT;
	int r = callgraph_update(cg, p, ret_diag);

	if (r < 0)
		return r;
	*v = (struct graph_view){
		.frames = profile_frames(p),
		.graph = callgraph_graph(cg),
		.cycles = callgraph_cycles(cg),
		.total = callgraph_total(cg),
		.text = STRBUF_INIT,
	};
	v->callgraph = take_ptr(cg);
	if (with_estimate)
		estimate_find(&v->estimate, v->graph, v->cycles, &opts);
	make_names(v, false);
	sort_functions(v, false);
	return 0;
}

int graph_view_write(FILE *out, const struct profile *p, graph_write_fn write,
		     struct diag *ret_diag)
{
	_cleanup_graph_view_ struct graph_view v = { 0 };
	const struct graph_opts opts = GRAPH_OPTS_DEFAULT;
	int r = graph_view_init(&v, p, false, ret_diag);

	if (r < 0)
		return r;
	write(out, &v, &opts);
	return 0;
}

void graph_view_deinit(struct graph_view *v)
{
	if (!v->callgraph)
		return;
	callgraph_free(v->callgraph);
	estimate_deinit(&v->estimate);
	strbuf_deinit(&v->text);
	free(v->names);
	free(v->functions);
	*v = (struct graph_view){ 0 };
}

uint32_t *graph_view_arcs(const struct graph_view *v, uint32_t *ret_nr)
{
	const struct graph *g = v->graph;
	_cleanup_free_ struct sort_key *keys = xmalloc(g->nr_arcs * sizeof(*keys));
	uint32_t nr = 0, *arcs;

	for (uint32_t a = 0; a < g->nr_arcs; a++)
		if (g->arcs[a].caller)
			keys[nr++] = (struct sort_key){
				.value = g->arcs[a].inclusive,
				.rank = graph_rank(g, g->arcs[a].caller),
				.rank2 = graph_rank(g, g->arcs[a].callee),
				.id = a,
			};
	qsort(keys, nr, sizeof(*keys), compare_keys);
	arcs = xmalloc(nr * sizeof(*arcs));
	for (uint32_t i = 0; i < nr; i++)
		arcs[i] = keys[i].id;
	*ret_nr = nr;
	return arcs;
}

/* Of a graph by hand there are no frames. */
bool graph_view_is_base(const struct graph_view *v, uint32_t function)
{
	return function && v->frames && frame_is_base(v->frames, function);
}

uint32_t graph_view_nr_code(const struct graph_view *v)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < v->nr_functions; i++)
		nr += !graph_view_is_base(v, v->functions[i]);
	return nr;
}

double graph_view_percent(const struct graph_view *v, uint64_t samples)
{
	return v->total ? 100.0 * samples / v->total : 0;
}

bool graph_view_is_above(const struct graph_view *v, uint64_t samples, double min_percent,
			 double def)
{
	return graph_view_percent(v, samples) >= (min_percent < 0 ? def : min_percent);
}

/* What --irq split takes out of a task's stack, and what only --softirq split does. */
static const char *role_option(const struct graph_opts *opts, enum frame_role role)
{
	switch (role) {
	case FRAME_ROLE_IRQ_ENTRY:
	case FRAME_ROLE_NMI_ENTRY:
	case FRAME_ROLE_IRQ_PATH:
	case FRAME_ROLE_IRQ_EXIT:
		return opts->irq_is_split ? NULL : "--irq split";
	case FRAME_ROLE_SOFTIRQ_CORE:
		if (!opts->irq_is_split)
			return "--irq split";
		return opts->softirq_is_split ? NULL : "--softirq split";
	default:
		return NULL;
	}
}

bool graph_view_irq_hint(const struct graph_view *v, const struct component *x,
			 const struct graph_opts *opts, uint32_t *ret_function,
			 const char **ret_option)
{
	/* Small: one sample in twenty. Real cycles are at a half and more. */
	if (x->reentered > x->arrivals / 20)
		return false;
	for (uint32_t m = x->first; m < x->first + x->nr; m++) {
		uint32_t f = v->cycles->members[m];
		const struct frame *frame = frame_table_get(v->frames, f);
		enum frame_role role = frame->role;
		const char *name, *option;
		size_t len;

		name = frame_table_name(v->frames, f, &len);
		if (role == FRAME_ROLE_NONE)
			role = frame_role_of_name(name, len);
		option = role_option(opts, role);
		if (!option)
			continue;
		*ret_function = f;
		*ret_option = option;
		return true;
	}
	return false;
}
