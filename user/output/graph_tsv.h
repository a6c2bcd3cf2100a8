/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views of a call graph for programs: columns and order are a contract (docs/eddy.8). */
#ifndef EDDY_OUTPUT_GRAPH_TSV_H
#define EDDY_OUTPUT_GRAPH_TSV_H

#include "output/graph_view.h"

/* inclusive self frames depth estimate cycle name */
void flat_tsv_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts);
/* inclusive frames estimate caller callee */
void arcs_tsv_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts);
/* cycle members touched reentered observed functions; in the order of the gprof table */
void cycles_tsv_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts);
/* entry index role percent self children called inclusive name cycle; the gprof table */
void gprof_tsv_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts);

#endif
