/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph as a picture for graphviz.
 *
 * Functions below 0.5 % of all samples and arcs below 0.1 % are left out unless other minima are
 * given.  Colour is the inclusive share; what a function is (kernel, interrupt, user, JIT, mark)
 * is its shape and stands in its label.  The members of a cycle stand in a frame with the cycle's
 * own numbers.
 */
#ifndef EDDY_OUTPUT_DOT_H
#define EDDY_OUTPUT_DOT_H

#include "output/graph_view.h"
#include "output/writer.h"

#define DOT_MIN_PERCENT	     0.5
#define DOT_MIN_EDGE_PERCENT 0.1

void dot_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts);

/* ".dot", ".gv" */
extern const struct writer dot_writer;

#endif
