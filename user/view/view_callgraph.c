// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The views of the call graph: `flat`, `arcs`, `graph` (gprof's table) and `cycles`.  Their numbers
 * are exact only on whole stacks, so recursion is not collapsed unless asked; the interrupt pass
 * is on by default, as everywhere: interrupts close cycles that never happened.
 */
#include "view/views.h"
#include "output/callgrind.h"
#include "output/dot.h"
#include "output/flat_text.h"
#include "output/graph_text.h"
#include "output/graph_tsv.h"

/* Of a capture that ends: with the ten functions one screen. */
#define SHORT_PROCESSES 5

typedef void (*graph_write_fn)(FILE *out, const struct graph_view *v,
			       const struct graph_opts *opts);

static struct graph_opts opts_of(const struct view_args *args)
{
	return (struct graph_opts){
		.min_percent = args->min_percent,
		.min_edge_percent = args->min_edge_percent,
		.limit = args->limit,
		.width = args->width,
		.gprof_blank = args->gprof_blank,
		.irq_is_split = args->passes->irq.mode != IRQ_MODE_KEEP,
		.softirq_is_split = args->passes->irq.split_inline,
		.ascii = args->ascii,
		.verbose = args->verbose,
		.modules = args->modules,
	};
}

enum { WITH_ESTIMATE = 1, FOR_PEOPLE = 2 };

static int render(graph_write_fn write, int how, const struct view_args *args, FILE *out,
		  struct diag *ret_diag)
{
	_cleanup_graph_view_ struct graph_view v = { 0 };
	const struct graph_opts opts = opts_of(args);
	int r = graph_view_init(&v, args->profile, how & WITH_ESTIMATE, ret_diag);

	if (r < 0)
		return r;
	if (args->passes->lines && how & FOR_PEOPLE)
		graph_view_shorten(&v);
	write(out, &v, &opts);
	return 0;
}

static void gprof_samples_write(FILE *out, const struct graph_view *v,
				const struct graph_opts *opts)
{
	gprof_text_write(out, v, opts, 0);
}

#define RENDER(name, write, how)                                                        \
	static int name(const struct view_args *args, FILE *out, struct diag *ret_diag) \
	{                                                                               \
		return render(write, how, args, out, ret_diag);                         \
	}

RENDER(render_arcs_text, arcs_text_write, WITH_ESTIMATE | FOR_PEOPLE)
RENDER(render_arcs_tsv, arcs_tsv_write, WITH_ESTIMATE)
RENDER(render_gprof_text, gprof_samples_write, FOR_PEOPLE)
RENDER(render_gprof_tsv, gprof_tsv_write, 0)
RENDER(render_cycles_text, cycles_text_write, WITH_ESTIMATE | FOR_PEOPLE)
RENDER(render_cycles_tsv, cycles_tsv_write, 0)
RENDER(render_dot, dot_write, FOR_PEOPLE)
RENDER(render_callgrind, callgrind_write, 0)

/* Functions, then whose samples they are; the end of a capture has room for some of each. */
static int render_flat_text(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_function_rows_ struct function_rows rows = { 0 };
	_cleanup_process_rows_ struct process_rows processes = { 0 };
	_cleanup_graph_view_ struct graph_view v = { 0 };
	struct graph_opts opts = opts_of(args);
	bool by_self = args->sort == VIEW_SORT_DEFAULT || args->sort == VIEW_SORT_SELF;
	int r = graph_view_init(&v, args->profile, !args->is_short, ret_diag);

	if (r < 0)
		return r;
	if (args->passes->lines)
		graph_view_shorten(&v);
	function_rows_find(v.graph, v.frames, by_self ? FUNCTIONS_BY_SELF : FUNCTIONS_BY_INCLUSIVE,
			   &rows);
	process_rows_find(args->profile, &processes);
	flat_text_write(out, &v, &rows, &opts);
	if (!args->is_short)
		flat_text_foot(out, &v, &rows, &opts);
	else
		opts.limit = SHORT_PROCESSES;
	process_text_write(out, args->profile, &processes, &opts);
	return 0;
}

static int render_flat_tsv(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_graph_view_ struct graph_view v = { 0 };
	const struct graph_opts opts = opts_of(args);
	int r = graph_view_init(&v, args->profile, true, ret_diag);

	if (r < 0)
		return r;
	if (args->sort == VIEW_SORT_SELF)
		graph_view_sort_by_self(&v);
	flat_tsv_write(out, &v, &opts);
	return 0;
}

/* The same picture and the same file, whichever way the graph is looked at. */
#define PICTURES                                                                       \
	{ "dot", render_dot, .unused = PICTURE_UNUSED },                               \
		{ "callgrind", render_callgrind, .unused = OPTIONS | PICTURE_UNUSED }, \
	{                                                                              \
		0                                                                      \
	}

enum { PICTURE_UNUSED = VIEW_GPROF_BLANK | VIEW_SORT | VIEW_VERBOSE };
enum { OPTIONS = VIEW_MIN_PERCENT | VIEW_MIN_EDGE_PERCENT | VIEW_LIMIT };

static const struct view_format flat_formats[] = {
	{ "text", render_flat_text, .unused = VIEW_MIN_EDGE_PERCENT },
	{ "tsv", render_flat_tsv, ".tsv", .unused = VIEW_MIN_EDGE_PERCENT | VIEW_VERBOSE },
	PICTURES,
};

static const struct view_format arcs_formats[] = {
	{ "text", render_arcs_text, .unused = VIEW_MIN_EDGE_PERCENT },
	{ "tsv", render_arcs_tsv, ".tsv", .unused = VIEW_MIN_EDGE_PERCENT },
	PICTURES,
};

static const struct view_format gprof_formats[] = {
	{ "text", render_gprof_text, .unused = VIEW_MIN_EDGE_PERCENT },
	{ "tsv", render_gprof_tsv, ".tsv", .unused = VIEW_MIN_EDGE_PERCENT },
	PICTURES,
};

static const struct view_format cycles_formats[] = {
	{ "text", render_cycles_text, .unused = VIEW_MIN_EDGE_PERCENT },
	{ "tsv", render_cycles_tsv, ".tsv", .unused = VIEW_MIN_EDGE_PERCENT },
	PICTURES,
};

const struct view view_flat = {
	.name = "flat",
	.summary = "functions by self and inclusive samples, and processes",
	.formats = flat_formats,
	.options = OPTIONS | VIEW_SORT | VIEW_VERBOSE,
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
