/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph of a profile, exact: everything is counted once a stack, by full stacks.
 *
 * Functions are the profile's frames (base frames and marks too, as in folded text, so that live
 * data and files agree).  Frames without samples at or under them are not in the graph.
 */
#ifndef EDDY_ANALYSIS_CALLGRAPH_H
#define EDDY_ANALYSIS_CALLGRAPH_H

#include "analysis/cycles.h"
#include "profile/profile.h"
#include "util/cleanup.h"
#include "util/diag.h"

struct callgraph;

struct callgraph *callgraph_new(void);
void callgraph_free(struct callgraph *cg); /* NULL is fine */
DEFINE_FREE(callgraph, struct callgraph *, callgraph_free)
#define _cleanup_callgraph_ _cleanup_(callgraph_freep)

/*
 * Brings the graph up to date with a profile: a new one on the first call, later the same one
 * after it has grown or its weights are others.  What is known of old nodes is kept: work is one
 * pass over the nodes' sums plus the new nodes and those above them.  What no sample reaches any
 * more is no longer in the graph.  Pointers from earlier calls are stale afterwards.
 * -EOVERFLOW when a sum of occurrences exceeds 64 bits; the graph can then only be released.
 */
int callgraph_update(struct callgraph *cg, const struct profile *p, struct diag *ret_diag);

/* Valid until the next update; function numbers are the profile's frame ids. */
const struct graph *callgraph_graph(const struct callgraph *cg);
const struct cycles *callgraph_cycles(const struct callgraph *cg);
/* Samples of the profile. */
uint64_t callgraph_total(const struct callgraph *cg);
/* Memory held, in bytes. */
size_t callgraph_bytes(const struct callgraph *cg);

#endif
