// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that let interrupts in are known by their names, whatever the compiler hung behind. */
#include "analysis/masked_rows.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/callgraph.h"
#include "util/mem.h"

/* Of these a timer sees little but their end; functions that go on working are not among them. */
static const char *const letting_in[] = {
	"_raw_spin_unlock_irqrestore",
	"_raw_spin_unlock_irq",
	"_raw_read_unlock_irqrestore",
	"_raw_read_unlock_irq",
	"_raw_write_unlock_irqrestore",
	"_raw_write_unlock_irq",
	"__raw_spin_unlock_irqrestore",
	"__raw_spin_unlock_irq",
	"raw_spin_rq_unlock_irq",
	"rt_spin_unlock_irqrestore",
	"finish_task_switch",
	"finish_lock_switch",
	"arch_local_irq_restore",
	"arch_local_irq_enable",
	"native_restore_fl",
	"native_irq_enable",
	"local_daif_restore",
};

static bool lets_in(const struct frame_table *frames, frame_id id)
{
	size_t len;
	const char *name = frame_table_name(frames, id, &len), *dot = strchr(name, '.');

	if (frame_table_get(frames, id)->origin == FRAME_BASE)
		return false;
	len = dot ? (size_t)(dot - name) : len;
	for (size_t i = 0; i < ARRAY_SIZE(letting_in); i++)
		if (strlen(letting_in[i]) == len && !memcmp(letting_in[i], name, len))
			return true;
	return false;
}

static int compare(const void *va, const void *vb, void *ctx)
{
	const struct masked_row *a = va, *b = vb;
	const struct frame_table *frames = ctx;

	if (a->masked != b->masked)
		return a->masked > b->masked ? -1 : 1;
	return strcmp(frame_table_name(frames, a->function, NULL),
		      frame_table_name(frames, b->function, NULL));
}

/* The function whose code it was: the first above that lets nothing in; base frames are none. */
static frame_id caller_of(const struct profile *p, node_id n, const bool *is_letting)
{
	const struct frame_table *frames = profile_frames(p);
	frame_id function = profile_frame(p, n);

	for (n = profile_parent(p, n); n != NODE_ROOT; n = profile_parent(p, n)) {
		frame_id id = profile_frame(p, n);

		if (frame_table_get(frames, id)->origin == FRAME_BASE)
			return function;
		if (!is_letting[id])
			return id;
	}
	return function;
}

static void rows_make(const struct profile *p, const struct graph *g, const uint64_t *masked,
		      struct masked_rows *rows)
{
	struct frame_table *frames = profile_frames(p);

	rows->rows = xcalloc((size_t)g->nr_functions + 1, sizeof(*rows->rows));
	for (frame_id f = 1; f < g->nr_functions; f++) {
		if (!masked[f])
			continue;
		rows->rows[rows->nr++] =
			(struct masked_row){ f, masked[f], g->functions[f].inclusive };
		rows->masked += masked[f];
	}
	if (rows->nr)
		qsort_r(rows->rows, rows->nr, sizeof(*rows->rows), compare, frames);
}

int masked_rows_find(const struct profile *p, struct masked_rows *ret_rows, struct diag *ret_diag)
{
	const struct frame_table *frames = profile_frames(p);
	const size_t nr = frame_table_nr(frames);
	_cleanup_free_ bool *is_letting = xcalloc(nr, sizeof(*is_letting));
	_cleanup_free_ uint64_t *masked = xcalloc(nr, sizeof(*masked));
	_cleanup_callgraph_ struct callgraph *callgraph = callgraph_new();
	struct masked_rows rows = { 0 };
	int r = callgraph_update(callgraph, p, ret_diag);

	if (r < 0)
		return r;
	for (frame_id id = 1; id < nr; id++)
		is_letting[id] = lets_in(frames, id);
	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		if (profile_self(p, n) && is_letting[profile_frame(p, n)])
			masked[caller_of(p, n, is_letting)] += profile_self(p, n);
	rows_make(p, callgraph_graph(callgraph), masked, &rows);
	*ret_rows = rows;
	return 0;
}

void masked_rows_deinit(struct masked_rows *rows)
{
	free(rows->rows);
	*rows = (struct masked_rows){ 0 };
}
