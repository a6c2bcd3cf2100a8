// SPDX-License-Identifier: GPL-2.0-or-later
/* The callers of one function, itself, and its callees. */
#include "live/live_rows.h"

#include <errno.h>
#include <string.h>

#include "analysis/function_find.h"
#include "util/mem.h"

enum { CALL_INCLUSIVE, CALL_SAMPLES, CALL_FRAMES };

static const struct live_column call_columns[] = {
	{ "incl %", 6, LIVE_PERCENT, 0 },
	{ "samples", 8, LIVE_SAMPLES, 1 },
	{ "frames", 8, LIVE_SAMPLES, 2 },
};
static const struct live_column role_column[] = { { "is", 8, 0, 0 } };

static uint32_t hottest(const struct graph *g)
{
	uint32_t best = 0;

	for (uint32_t f = 1; f < g->nr_functions; f++)
		if (g->functions[f].self > g->functions[best].self ||
		    (best && g->functions[f].self == g->functions[best].self &&
		     g->functions[f].self && graph_rank(g, f) < graph_rank(g, best)))
			best = f;
	return best;
}

static struct live_row *call_row(struct live_table *t, uint64_t key, frame_id f, const char *role)
{
	struct live_row *row = live_row_add(t, key);

	row->frame = f;
	row->texts[0] = live_text_add(t, role, strlen(role));
	if (!f)
		row->name = live_text_add(t, "(nobody: stacks begin here)", 27);
	return row;
}

static void call_rows(struct live_table *t, const struct live_analysis *a, uint32_t of,
		      bool is_callers)
{
	const struct graph *g = callgraph_graph(a->callgraph);
	const uint32_t *start = is_callers ? g->in_start : g->out_start;
	const uint32_t *arcs = is_callers ? g->in_arc : g->out_arc;
	size_t first = t->nr;

	for (uint32_t i = start[of]; i < start[of + 1]; i++) {
		const struct graph_arc *arc = &g->arcs[arcs[i]];
		frame_id other = is_callers ? arc->caller : arc->callee;
		struct live_row *row = call_row(t, (uint64_t)is_callers << 32 | other, other,
						is_callers ? "caller" : "callee");

		row->values[CALL_INCLUSIVE] = row->values[CALL_SAMPLES] = arc->inclusive;
		row->values[CALL_FRAMES] = arc->frames;
	}
	live_rows_sort(t, t->rows + first, t->nr - first, g, CALL_SAMPLES);
}

/* Callers, the function itself, callees: as an entry of gprof's table, with exact numbers. */
int live_calls_rows(const struct live_analysis *a, const struct profile *shown,
		    const struct live_choice *c, struct live_table *t, struct diag *ret_diag)
{
	const struct graph *g = callgraph_graph(a->callgraph);
	frame_id of = c->of_frame;
	struct live_row *row;
	struct diag why;
	int r;

	t->columns = call_columns;
	t->nr_columns = ARRAY_SIZE(call_columns);
	t->texts = role_column;
	t->nr_texts = 1;
	t->name_title = "function";
	if (c->of) {
		r = function_find(shown, c->of, &of, &why);
		if (r < 0)
			return diag_set(ret_diag, -r, "--of: '%s' %s", c->of, why.text);
	}
	of = of ? of : hottest(g);
	if (!of || of >= g->nr_functions || !graph_has(g, of))
		return 0;
	call_rows(t, a, of, true);
	row = call_row(t, 1ull << 40 | of, of, "itself");
	row->is_head = true;
	row->values[CALL_INCLUSIVE] = row->values[CALL_SAMPLES] = g->functions[of].inclusive;
	row->values[CALL_FRAMES] = g->functions[of].frames;
	call_rows(t, a, of, false);
	t->nr_all = t->nr;
	return 0;
}
