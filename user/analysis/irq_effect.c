// SPDX-License-Identifier: GPL-2.0-or-later
/* Two call graphs over one frame table: function numbers are the same in both. */
#include "analysis/irq_effect.h"

#include <string.h>

#include "analysis/callgraph.h"
#include "util/mem.h"

static int compare_sizes(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

static struct irq_effect_cycles cycle_sizes(const struct callgraph *cg)
{
	const struct cycles *cycles = callgraph_cycles(cg);
	struct irq_effect_cycles found = { 0 };

	found.sizes = xcalloc(cycles->nr_cycles, sizeof(*found.sizes));
	for (uint32_t i = 0; i < cycles->nr_components; i++)
		if (cycles->components[i].nr > 1 && found.nr < cycles->nr_cycles)
			found.sizes[found.nr++] = cycles->components[i].nr;
	qsort(found.sizes, found.nr, sizeof(*found.sizes), compare_sizes);
	return found;
}

/* Frames that stand anywhere but at the base of a stack, where comms and marks are. */
static bool *find_functions(const struct profile *p, size_t nr_frames)
{
	bool *is_function = xcalloc(nr_frames, sizeof(*is_function));
	const frame_id *frames = profile_node_frames(p);
	const node_id *parents = profile_parents(p);

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		const struct frame *f = frame_table_get(profile_frames(p), frames[n]);

		/* Of folded text a base frame is a user frame without a module, at the root. */
		if (parents[n] != NODE_ROOT || f->origin == FRAME_KERNEL || f->module)
			is_function[frames[n]] = f->origin != FRAME_BASE;
	}
	return is_function;
}

static uint64_t change_of(const struct irq_effect_row *row)
{
	return row->keep > row->split ? row->keep - row->split : row->split - row->keep;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct irq_effect_row *x = a, *y = b;
	const struct frame_table *table = ctx;
	uint64_t cx = change_of(x), cy = change_of(y);
	int c = (cx < cy) - (cx > cy);

	if (!c)
		c = strcmp(frame_table_name(table, x->function, NULL),
			   frame_table_name(table, y->function, NULL));
	return c ? c : (x->function > y->function) - (x->function < y->function);
}

static uint64_t inclusive_of(const struct graph *g, frame_id f)
{
	return f < g->nr_functions ? g->functions[f].inclusive : 0;
}

static void find_rows(const struct profile *in, const struct graph *keep, const struct graph *split,
		      struct irq_effect *effect)
{
	struct frame_table *table = profile_frames(in);
	size_t nr_frames = frame_table_nr(table), cap = 0;
	_cleanup_free_ bool *is_function = find_functions(in, nr_frames);

	for (frame_id f = 1; f < nr_frames; f++) {
		struct irq_effect_row row = { f, inclusive_of(keep, f), inclusive_of(split, f) };

		if (!is_function[f] || row.keep == row.split)
			continue;
		array_reserve(effect->rows, cap, effect->nr_rows + 1);
		effect->rows[effect->nr_rows++] = row;
	}
	if (effect->nr_rows)
		qsort_r(effect->rows, effect->nr_rows, sizeof(*effect->rows), compare_rows, table);
}

int irq_effect_find(const struct profile *in, const struct irq_opts *opts,
		    struct irq_effect *ret_effect, struct diag *ret_diag)
{
	struct irq_opts split_opts = { .split_inline = opts->split_inline };
	_cleanup_profile_ struct profile *split = irq_separate(in, &split_opts, NULL);
	_cleanup_callgraph_ struct callgraph *keep_graph = callgraph_new();
	_cleanup_callgraph_ struct callgraph *split_graph = callgraph_new();
	struct irq_effect effect = { .total = profile_total(in) };
	int r = callgraph_update(keep_graph, in, ret_diag);

	if (r >= 0)
		r = callgraph_update(split_graph, split, ret_diag);
	if (r < 0)
		return r;
	effect.keep = cycle_sizes(keep_graph);
	effect.split = cycle_sizes(split_graph);
	find_rows(in, callgraph_graph(keep_graph), callgraph_graph(split_graph), &effect);
	*ret_effect = effect;
	return 0;
}

void irq_effect_deinit(struct irq_effect *effect)
{
	free(effect->keep.sizes);
	free(effect->split.sizes);
	free(effect->rows);
	*effect = (struct irq_effect){ 0 };
}
