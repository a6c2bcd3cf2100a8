/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes of a profile stand under another one of their function, or of their arc: the shape of
 * the stacks, whatever their weights are.
 */
#ifndef EDDY_ANALYSIS_CALLGRAPH_SHAPE_H
#define EDDY_ANALYSIS_CALLGRAPH_SHAPE_H

#include "analysis/graph.h"
#include "profile/profile.h"

/* A node under others of its function, which it is the so manieth of from the root. */
struct node_times {
	uint32_t node, times;
};

/* The nodes of a profile as columns; a node with sum 0 is not part of the graph. */
struct callgraph_nodes {
	uint64_t *sums; /* samples at the node and under it */
	uint32_t *arcs; /* the arc from its caller; ARC_NONE while the sum is 0 */
	uint32_t *hops; /* frames up to the nearest occurrence of its function; 0: the first */
	uint8_t *flags;
	size_t nr, cap;
	struct node_times *again; /* of each that is NODE_AGAIN; and of some that have left since */
	size_t nr_again, cap_again;
};

#define ARC_NONE UINT32_MAX

enum {
	NODE_ARC_AGAIN = 1, /* its arc stands above it in the stack too */
	NODE_AGAIN = 2,	    /* its function does: hops > 0 */
	NODE_FRESH = 4,	    /* joined the graph in this update */
	NODE_ON_WAY = 8,    /* fresh or above a fresh one */
};

/*
 * Finds hops and flags of the nodes that are NODE_FRESH (no more afterwards) and of those above
 * them, and how often a function stands in one stack: its depth, where that is more than before.
 */
void callgraph_shape_find(struct graph *g, struct callgraph_nodes *nodes, const struct profile *p);

#endif
