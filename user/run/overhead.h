/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast to sample so that eddy itself costs no more than it may, and follows.  Pure: it is told
 * what was measured.  Lowering is done at once and by as much as the cost was too high; raising
 * again needs the cost to be well below the limit, and is done by at most a factor of two at a
 * time.
 */
#ifndef EDDY_RUN_OVERHEAD_H
#define EDDY_RUN_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/event.h"

struct overhead {
	double max;		   /* share of the CPUs' time; 0: no limit */
	struct capture_rate asked; /* the rate that is never exceeded */
	double share;		   /* of it that is in use: 1 when nothing was lowered */
};

/* Nothing is lowered yet.  *asked is copied. */
void overhead_init(struct overhead *o, double max, const struct capture_rate *asked);
/* The rate in use. */
struct capture_rate overhead_rate(const struct overhead *o);
/* Eddy cost that share of the CPUs' time lately: is there to be another rate? */
bool overhead_adapt(struct overhead *o, double cost);
/*
 * Of the samples that were taken lately so many found no room: is there to be another rate?  It is
 * never exceeded again.  A period stays: each sample stands for so many events.
 */
bool overhead_relieve(struct overhead *o, uint64_t taken, uint64_t lost);

#endif
