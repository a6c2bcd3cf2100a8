// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules: the call graph of stacks in which each run of functions of one module is one frame, so
 * that a sample counts once for a module however often its stack goes through it.
 */
#include <string.h>

#include "analysis/frame_module.h"
#include "live/live_rows.h"
#include "util/mem.h"
#include "util/text_escape.h"

static const struct live_column module_columns[] = {
	{ "self %", 6, LIVE_PERCENT, 0 },
	{ "incl %", 6, LIVE_PERCENT, 0 },
	{ "self", 8, LIVE_SAMPLES, 1 },
};

const char *live_module_of(const struct frame_table *frames, frame_id id, size_t *ret_len)
{
	static const char *const names[NR_MODULE_KINDS] = {
		[MODULE_UNKNOWN] = "[program: not known which]",
		[MODULE_JIT] = "[compiled at run time]",
	};
	struct frame_module module;
	const char *name = frame_table_name(frames, id, ret_len);

	if (!frame_module_find(frames, id, NULL, &module) || module.kind == MODULE_LOST)
		return name;
	if (!names[module.kind]) {
		*ret_len = module.len;
		return module.name;
	}
	*ret_len = strlen(names[module.kind]);
	return names[module.kind];
}

struct grouping {
	const struct profile *in;
	frame_id *modules; /* by frame of in, FRAME_NONE: not known yet */
};

static frame_id module_frame(struct grouping *g, struct profile *out, frame_id frame)
{
	size_t len;
	const char *name;
	_cleanup_free_ char *text = NULL;

	if (g->modules[frame])
		return g->modules[frame];
	name = live_module_of(profile_frames(g->in), frame, &len);
	text = xmalloc(len + 1);
	memcpy(text, name, len);
	text[len] = '\0';
	g->modules[frame] = frame_table_add_base(profile_frames(out), text);
	return g->modules[frame];
}

/* Of which nothing says whose it is: it is its caller's. */
static bool is_callers(const struct frame *f)
{
	return f->origin == FRAME_INLINED && !f->module;
}

/* A base frame is no module, but for marks: their samples are in no other row. */
static node_id place(void *ctx, struct profile *out, node_id at, node_id n, frame_id frame)
{
	struct grouping *g = ctx;
	const struct frame_table *frames = profile_frames(g->in);
	frame_id module;

	if (frame_table_get(frames, frame)->origin == FRAME_BASE &&
	    *frame_table_name(frames, frame, NULL) != '[')
		return at;
	if (at != NODE_ROOT && is_callers(frame_table_get(frames, frame)))
		return at;
	module = module_frame(g, out, frame);
	return at != NODE_ROOT && profile_frame(out, at) == module ? at
								   : profile_child(out, at, module);
}

static void module_row(struct live_table *t, const struct graph *g, uint32_t f)
{
	struct live_row *row = live_row_add(t, f);
	size_t len;
	const char *name = frame_table_name(t->frames, f, &len);

	row->frame = f;
	row->values[0] = row->values[2] = g->functions[f].self;
	row->values[1] = g->functions[f].inclusive;
	row->name = live_text_add(t, name, len);
}

int live_modules_rows(const struct profile *shown, const struct live_choice *c,
		      struct live_table *t, struct diag *ret_diag)
{
	size_t nr_frames = frame_table_nr(profile_frames(shown));
	_cleanup_free_ frame_id *modules = xcalloc(nr_frames, sizeof(*modules));
	struct grouping grouping = { shown, modules };
	_cleanup_profile_ struct profile *grouped = NULL;
	_cleanup_callgraph_ struct callgraph *callgraph = callgraph_new();
	const struct graph *g;
	int r;

	t->columns = module_columns;
	t->nr_columns = ARRAY_SIZE(module_columns);
	t->name_title = "module";
	grouped = profile_remap(shown, place, &grouping, NULL);
	r = callgraph_update(callgraph, grouped, ret_diag);
	if (r < 0)
		return r;
	g = callgraph_graph(callgraph);
	for (uint32_t f = 1; f < g->nr_functions; f++) {
		size_t len;
		const char *name = graph_has(g, f) ? frame_table_name(t->frames, f, &len) : NULL;

		if (!name)
			continue;
		t->nr_all++;
		if (!c->filter || memmem(name, len, c->filter, strlen(c->filter)))
			module_row(t, g, f);
	}
	t->sorted = live_rows_number_column(t, c);
	live_rows_sort(t, t->rows, t->nr, g, t->sorted);
	live_rows_mark_noise(t);
	return 0;
}
