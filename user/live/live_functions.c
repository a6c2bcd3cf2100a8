// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions: what `report --view flat` shows. */
#include "live/live_rows.h"

#include "analysis/base_marks.h"
#include "profile/base_frame.h"
#include "util/mem.h"

enum { FN_SELF, FN_INCLUSIVE, FN_SAMPLES, FN_DEPTH, FN_CYCLE };

static const struct live_column function_columns[] = {
	{ "self %", 6, LIVE_PERCENT, 0 }, { "incl %", 6, LIVE_PERCENT, 0 },
	{ "self", 8, LIVE_SAMPLES, 2 },	  { "depth", 5, LIVE_COUNT, 3 },
	{ "cycle", 5, LIVE_NUMBER, 4 },
};
static const struct live_column module_column[] = { { "module", 16, 0, 1 } };

/*
 * A base frame is no function, but for marks, as [hardirq] and [lost:...]: samples stand under
 * them that are in no other row.
 */
static bool is_function(const struct graph *g, const struct frame_table *frames, uint32_t f)
{
	if (!graph_has(g, f))
		return false;
	if (!frame_is_base(frames, f) || g->functions[f].self)
		return true;
	return *frame_table_name(frames, f, NULL) == '[' &&
	       !base_frame_is_none(frame_table_name(frames, f, NULL));
}

static void function_row(struct live_table *t, const struct live_analysis *a, uint32_t f)
{
	const struct graph_function *function = &callgraph_graph(a->callgraph)->functions[f];
	uint32_t number = cycles_of(callgraph_cycles(a->callgraph), f)->number;
	struct live_row *row = live_row_add(t, f);

	row->frame = f;
	row->values[FN_SELF] = row->values[FN_SAMPLES] = function->self;
	row->values[FN_INCLUSIVE] = function->inclusive;
	row->values[FN_DEPTH] = function->depth;
	if (number)
		row->values[FN_CYCLE] = number;
}

static bool has_modules(const struct live_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (frame_table_get(t->frames, t->rows[i].frame)->module)
			return true;
	return false;
}

void live_functions_rows(const struct live_analysis *a, const struct frame_table *frames,
			 const struct live_choice *c, struct live_table *t)
{
	const struct graph *g = callgraph_graph(a->callgraph);

	t->columns = function_columns;
	t->nr_columns = ARRAY_SIZE(function_columns);
	t->name_title = "function";
	for (uint32_t f = 1; f < g->nr_functions; f++) {
		if (!is_function(g, frames, f))
			continue;
		t->nr_all++;
		if (!live_row_is_hidden(c, frames, f))
			function_row(t, a, f);
	}
	t->sorted = live_rows_number_column(t, c);
	live_rows_sort(t, t->rows, t->nr, g, t->sorted);
	if (t->sorted <= FN_SAMPLES)
		live_rows_mark_noise(t);
	if (has_modules(t)) {
		t->texts = module_column;
		t->nr_texts = 1;
	}
}
