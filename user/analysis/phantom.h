/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the stacks say about the cycles of their graph.  Adding up arcs of different stacks can
 * close a cycle that no stack ever went round: a phantom.
 */
#ifndef EDDY_ANALYSIS_PHANTOM_H
#define EDDY_ANALYSIS_PHANTOM_H

#include "analysis/callgraph_shape.h"
#include "analysis/cycles.h"
#include "profile/profile.h"

/*
 * Fills reentered and observed of every cycle, and the `ends` of every arc of the sampled graph:
 * one loop over the nodes forward and one back.
 */
void phantom_measure(struct cycles *c, struct graph *g, const struct callgraph_nodes *nodes,
		     const struct profile *p);

#endif
