// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The views of the call graph: `flat`, `arcs`, `graph` (gprof's table) and `cycles`.  Their numbers
 * are exact only on whole stacks, so recursion is not collapsed unless asked; the interrupt pass
 * is on by default, as everywhere: interrupts close cycles that never happened.
 */
#include "cli/views.h"
#include "output/callgrind.h"
#include "output/dot.h"
#include "output/graph_text.h"
#include "output/graph_tsv.h"

typedef void (*graph_write_fn)(FILE *out, const struct graph_view *v,
			       const struct graph_opts *opts);

static int render(graph_write_fn write, bool with_estimate, const struct view_args *args, FILE *out,
		  struct diag *ret_diag)
{
	_cleanup_graph_view_ struct graph_view v = { 0 };
	struct graph_opts opts = {
		.min_percent = args->min_percent,
		.min_edge_percent = args->min_edge_percent,
		.limit = args->limit,
		.width = args->width,
		.gprof_blank = args->gprof_blank,
		.irq_is_split = args->passes->irq.mode != IRQ_MODE_KEEP,
		.softirq_is_split = args->passes->irq.split_inline,
	};
	int r = graph_view_init(&v, args->profile, with_estimate, ret_diag);

	if (r < 0)
		return r;
	write(out, &v, &opts);
	return 0;
}

static void gprof_samples_write(FILE *out, const struct graph_view *v,
				const struct graph_opts *opts)
{
	gprof_text_write(out, v, opts, 0);
}

#define RENDER(name, write, with_estimate)                                              \
	static int name(const struct view_args *args, FILE *out, struct diag *ret_diag) \
	{                                                                               \
		return render(write, with_estimate, args, out, ret_diag);               \
	}

RENDER(render_flat_text, flat_text_write, true)
RENDER(render_flat_tsv, flat_tsv_write, true)
RENDER(render_arcs_text, arcs_text_write, true)
RENDER(render_arcs_tsv, arcs_tsv_write, true)
RENDER(render_gprof_text, gprof_samples_write, false)
RENDER(render_gprof_tsv, gprof_tsv_write, false)
RENDER(render_cycles_text, cycles_text_write, true)
RENDER(render_cycles_tsv, cycles_tsv_write, false)
RENDER(render_dot, dot_write, false)
RENDER(render_callgrind, callgrind_write, false)

/* The same picture and the same file, whichever way the graph is looked at. */
#define PICTURES                                                                         \
	{ "dot", render_dot, .unused = VIEW_GPROF_BLANK },                               \
		{ "callgrind", render_callgrind, .unused = OPTIONS | VIEW_GPROF_BLANK }, \
	{                                                                                \
		0                                                                        \
	}

enum { OPTIONS = VIEW_MIN_PERCENT | VIEW_MIN_EDGE_PERCENT | VIEW_LIMIT };

static const struct view_format flat_formats[] = {
	{ "text", render_flat_text, .unused = VIEW_MIN_EDGE_PERCENT },
	{ "tsv", render_flat_tsv, .unused = VIEW_MIN_EDGE_PERCENT },
	PICTURES,
};

static const struct view_format arcs_formats[] = {
	{ "text", render_arcs_text, .unused = VIEW_MIN_EDGE_PERCENT },
	{ "tsv", render_arcs_tsv, .unused = VIEW_MIN_EDGE_PERCENT },
	PICTURES,
};

static const struct view_format gprof_formats[] = {
	{ "text", render_gprof_text, .unused = VIEW_MIN_EDGE_PERCENT },
	{ "tsv", render_gprof_tsv, .unused = VIEW_MIN_EDGE_PERCENT },
	PICTURES,
};

static const struct view_format cycles_formats[] = {
	{ "text", render_cycles_text, .unused = VIEW_MIN_EDGE_PERCENT },
	{ "tsv", render_cycles_tsv, .unused = VIEW_MIN_EDGE_PERCENT },
	PICTURES,
};

const struct view view_flat = {
	.name = "flat",
	.summary = "functions: inclusive, self, recursion, cycle",
	.formats = flat_formats,
	.options = OPTIONS,
	.collapse = COLLAPSE_NONE,
};

const struct view view_arcs = {
	.name = "arcs",
	.summary = "who calls whom",
	.formats = arcs_formats,
	.options = OPTIONS,
	.collapse = COLLAPSE_NONE,
};

const struct view view_graph = {
	.name = "graph",
	.summary = "callers and callees of every function, as gprof shows them",
	.formats = gprof_formats,
	.options = OPTIONS | VIEW_GPROF_BLANK,
	.collapse = COLLAPSE_NONE,
};

const struct view view_cycles = {
	.name = "cycles",
	.summary = "cycles of the call graph, and whether stacks go round them",
	.formats = cycles_formats,
	.options = OPTIONS,
	.collapse = COLLAPSE_NONE,
};
