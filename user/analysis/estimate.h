/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gprof2dot's estimate of the time of functions and arcs inside cycles ("Propagating time inside
 * recursive function cycles"), for comparison with tools that have only a graph.  Stacks without
 * a caller arrive through a virtual one; outside cycles the estimate is then exact.
 */
#ifndef EDDY_ANALYSIS_ESTIMATE_H
#define EDDY_ANALYSIS_ESTIMATE_H

#include "analysis/cycles.h"

struct estimate_opts {
	/* Steps (members and arcs visited, over all cycles) that may be spent. */
	uint64_t budget;
	/* A cycle is left alone when more than this share of its arrivals would remain, 0..1. */
	double max_left;
};

/* Some tenths of a second; and an estimate that may be low by a twentieth is not worth showing.
 */
#define ESTIMATE_OPTS_DEFAULT                                \
	{                                                    \
		.budget = 20 * 1000 * 1000, .max_left = 0.05 \
	}

struct estimate {
	double *functions; /* [graph->nr_functions]; NAN: not estimated */
	double *arcs;	   /* [graph->nr_arcs]; NAN: not estimated, or it has no value */
	/*
	 * Of each component: the share of its arrivals that was not propagated.  Any number of the
	 * cycle is low by at most left * arrivals.  1: nothing was done.
	 */
	double *left;
	uint64_t steps; /* spent */
};

/* Estimates a sampled graph. Release with estimate_deinit(). */
void estimate_find(struct estimate *e, const struct graph *g, const struct cycles *c,
		   const struct estimate_opts *opts);
void estimate_deinit(struct estimate *e);

#endif
