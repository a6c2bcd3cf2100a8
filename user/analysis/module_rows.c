// SPDX-License-Identifier: GPL-2.0-or-later
/* A module becomes a frame, with its kind for a start, and the call graph counts it. */
#include "analysis/module_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/callgraph.h"
#include "util/mem.h"

#define NOT_LOOKED_AT ((frame_id)UINT32_MAX)

struct grouping {
	const struct profile *in;
	const struct modules_known *known;
	/*
	 * By frame of in: that of its module, FRAME_NONE: whoever called it.  Those of modules are
	 * added to the same table while we go, so they are behind the last of these.
	 */
	frame_id *modules;
};

static frame_id module_frame(struct grouping *g, frame_id id)
{
	struct frame_table *frames = profile_frames(g->in);
	struct frame_module module;
	struct frame f = { .origin = FRAME_BASE };

	if (g->modules[id] != NOT_LOOKED_AT)
		return g->modules[id];
	g->modules[id] = FRAME_NONE;
	if (!frame_module_find(frames, id, g->known, &module))
		return FRAME_NONE;
	f.name = frame_table_intern(frames, module.name, module.len);
	f.start = module.kind;
	g->modules[id] = frame_table_add(frames, &f);
	return g->modules[id];
}

static node_id place(void *ctx, struct profile *out, node_id at, node_id n, frame_id id)
{
	frame_id module = module_frame(ctx, id);

	(void)n;
	if (!module || (at != NODE_ROOT && profile_frame(out, at) == module))
		return at;
	return profile_child(out, at, module);
}

static int compare_names(const struct module_row *a, const struct module_row *b)
{
	int c = strcmp(a->name, b->name);

	return c ? c : (a->kind > b->kind) - (a->kind < b->kind);
}

static int by_inclusive(const void *va, const void *vb)
{
	const struct module_row *a = va, *b = vb;

	if (a->inclusive != b->inclusive)
		return a->inclusive > b->inclusive ? -1 : 1;
	return compare_names(a, b);
}

static int by_self(const void *va, const void *vb)
{
	const struct module_row *a = va, *b = vb;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return by_inclusive(va, vb);
}

static void rows_make(const struct profile *grouped, const struct graph *g,
		      struct module_rows *rows)
{
	const struct frame_table *frames = profile_frames(grouped);
	uint64_t none = profile_self(grouped, NODE_ROOT);

	rows->rows = xcalloc((size_t)g->nr_functions + 1, sizeof(*rows->rows));
	for (frame_id f = 1; f < g->nr_functions; f++)
		if (graph_has(g, f))
			rows->rows[rows->nr++] = (struct module_row){
				g->functions[f].inclusive, g->functions[f].self,
				(enum module_kind)frame_table_get(frames, f)->start,
				frame_table_name(frames, f, NULL)
			};
	if (none) /* stacks of base frames and marks alone */
		rows->rows[rows->nr++] =
			(struct module_row){ none, none, MODULE_NONE, "[no code]" };
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows), by_inclusive);
}

int module_rows_find(const struct profile *p, const struct modules_known *known,
		     struct module_rows *ret_rows, struct diag *ret_diag)
{
	size_t nr_frames = frame_table_nr(profile_frames(p));
	_cleanup_free_ frame_id *modules = xcalloc(nr_frames, sizeof(*modules));
	struct grouping grouping = { p, known, modules };
	_cleanup_profile_ struct profile *grouped = NULL;
	_cleanup_callgraph_ struct callgraph *callgraph = callgraph_new();
	struct module_rows rows = { 0 };
	int r;

	for (size_t i = 0; i < nr_frames; i++)
		modules[i] = NOT_LOOKED_AT;
	grouped = profile_remap(p, place, &grouping, NULL);
	r = callgraph_update(callgraph, grouped, ret_diag);
	if (r < 0)
		return r;
	rows_make(grouped, callgraph_graph(callgraph), &rows);
	*ret_rows = rows;
	return 0;
}

void module_rows_sort_by_self(struct module_rows *rows)
{
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows), by_self);
}

void module_rows_deinit(struct module_rows *rows)
{
	free(rows->rows);
	*rows = (struct module_rows){ 0 };
}
