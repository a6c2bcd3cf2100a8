/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every picture and table of a call graph is made from: the graph of a profile, its cycles,
 * gprof2dot's estimate, the names as they are printed; and the choices of who asks.
 */
#ifndef EDDY_OUTPUT_GRAPH_VIEW_H
#define EDDY_OUTPUT_GRAPH_VIEW_H

#include <stdio.h>

#include "analysis/callgraph.h"
#include "analysis/estimate.h"
#include "util/strbuf.h"

struct graph_view {
	struct frame_table *frames;
	struct callgraph *callgraph;
	const struct graph *graph;
	const struct cycles *cycles;
	struct estimate estimate; /* all NULL when it was not asked for */
	uint64_t total;		  /* samples */
	struct strbuf text;	  /* all names, each with its NUL */
	const char **names;	  /* of each function as in folded text; 0: "<spontaneous>" */
	uint32_t *functions;	  /* those in the graph: inclusive falling, then by name */
	uint32_t nr_functions;	  /* of them */
};

/* How much to print; all zero but the percents: everything. */
struct graph_opts {
	double min_percent;	 /* of all samples; negative: the format's own default */
	double min_edge_percent; /* for arcs of pictures; the same */
	size_t limit;		 /* rows (entries of the gprof table); 0: no limit */
	size_t width;		 /* columns of the terminal; 0: names are not cut */
	bool ascii;		 /* the terminal knows no UTF-8 */
	bool verbose;		 /* all columns */
	bool gprof_blank;	 /* blanks where gprof has blanks: no exact numbers added */
	bool irq_is_split;	 /* the stacks went through --irq split (charge, drop) */
	bool softirq_is_split;	 /* and --softirq split */
	/* Whose functions without a module are; NULL: that is not known. */
	const struct modules_known *modules;
};

#define GRAPH_OPTS_DEFAULT                                \
	{                                                 \
		.min_percent = -1, .min_edge_percent = -1 \
	}

/* Functions by self, then inclusive, instead. */
void graph_view_sort_by_self(struct graph_view *v);
/* Names for people: where a function's line is shown, the file is its last component. */
void graph_view_shorten(struct graph_view *v);

/*
 * Builds all of it, the estimate when asked for; the profile must outlive the view.  0 or -errno
 * with a diag (then there is nothing to release).
 */
int graph_view_init(struct graph_view *v, const struct profile *p, bool with_estimate,
		    struct diag *ret_diag);
void graph_view_deinit(struct graph_view *v); /* zero-filled is fine */
#define _cleanup_graph_view_ __attribute__((cleanup(graph_view_deinit)))

/* What a writer of output/writer.h does with a format of graphs: a view at defaults, written. */
typedef void (*graph_write_fn)(FILE *out, const struct graph_view *v,
			       const struct graph_opts *opts);
int graph_view_write(FILE *out, const struct profile *p, graph_write_fn write,
		     struct diag *ret_diag);

/* The arcs between functions (nobody's are left out), inclusive falling, then by names; free(). */
uint32_t *graph_view_arcs(const struct graph_view *v, uint32_t *ret_nr);

/* Is it a process or a mark?  Text for people has none among functions. */
bool graph_view_is_base(const struct graph_view *v, uint32_t function);
/* Functions in the graph that are none of those. */
uint32_t graph_view_nr_code(const struct graph_view *v);

/* Percent of all samples; 0 of nothing. */
double graph_view_percent(const struct graph_view *v, uint64_t samples);

/* Is a number that large shown at all? `def` is the default for a negative minimum. */
bool graph_view_is_above(const struct graph_view *v, uint64_t samples, double min_percent,
			 double def);

/*
 * An interrupt's frame among the members of a cycle that the stacks hardly go round, and the
 * option that cuts there ("--irq split", "--softirq split"); false when there is none.
 */
bool graph_view_irq_hint(const struct graph_view *v, const struct component *x,
			 const struct graph_opts *opts, uint32_t *ret_function,
			 const char **ret_option);

#endif
