/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views of a call graph for people.  What is below half a percent of all samples is counted in
 * a last line instead of shown, unless a minimum is given.
 */
#ifndef EDDY_OUTPUT_GRAPH_TEXT_H
#define EDDY_OUTPUT_GRAPH_TEXT_H

#include "output/graph_view.h"

#define GRAPH_TEXT_MIN_PERCENT 0.5

void arcs_text_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts);
/* One line a cycle, then its members, what the estimate is worth, and a hint. */
void cycles_text_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts);
/*
 * As gprof prints it; with a column `incl` for what gprof leaves blank, and numbers in samples.
 * units_per_second: the unit of the graph's times, printed as seconds; 0: samples.  For a graph
 * given by hand only graph, cycles, names and total of the view are needed.
 */
void gprof_text_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts,
		      uint32_t units_per_second);

/* "[touched, re-entered, ...]" of a cycle in one line, shared with the gprof table. */
void cycle_text_facts(struct strbuf *sb, const struct graph_view *v, const struct component *x);
/* The line that names the option which cuts where an interrupt closes the cycle, if one does. */
void cycle_text_hint(FILE *out, const struct graph_view *v, const struct component *x,
		     const struct graph_opts *opts);

#endif
