/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the stacks say about the cycles of their graph.  Adding up arcs of different stacks can
 * close a cycle that no stack ever went round: a phantom.
 */
#ifndef EDDY_ANALYSIS_PHANTOM_H
#define EDDY_ANALYSIS_PHANTOM_H

#include "analysis/cycles.h"
#include "profile/profile.h"

/* The nodes of a profile as columns; a node with sum 0 is not part of the graph. */
struct callgraph_nodes {
	uint64_t *sums; /* samples at the node and under it */
	uint32_t *arcs; /* the arc from its caller; ARC_NONE while the sum is 0 */
	uint32_t *hops; /* frames up to the nearest occurrence of its function; 0: the first */
	uint8_t *flags;
	size_t nr, cap;
};

#define ARC_NONE UINT32_MAX

enum {
	NODE_ARC_AGAIN = 1, /* its arc stands above it in the stack too */
	NODE_AGAIN = 2,	    /* its function does: hops > 0 */
	NODE_FRESH = 4,	    /* joined the graph in this update */
	NODE_ON_WAY = 8,    /* fresh or above a fresh one */
};

/*
 * Fills reentered and observed of every cycle, and the `ends` of every arc of the sampled graph:
 * one loop over the nodes forward and one back.
 */
void phantom_measure(struct cycles *c, struct graph *g, const struct callgraph_nodes *nodes,
		     const struct profile *p);

#endif
