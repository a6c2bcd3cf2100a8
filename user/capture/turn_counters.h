/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampler's counters: of each turn and CPU. */
#ifndef EDDY_CAPTURE_TURN_COUNTERS_H
#define EDDY_CAPTURE_TURN_COUNTERS_H

#include <stdint.h>

#include "capture/drain.h"
#include "sampler_abi.h"

struct turn_counters {
	int fd; /* of the map */
	int nr_cpus;
};

/*
 * Adds the counters of a turn that is over to *sums and, of each CPU, to `cpus`, and clears them
 * for the turn after.  -errno: nothing is changed, or it is not cleared.
 */
int turn_counters_take(const struct turn_counters *c, uint32_t turn, struct eddy_counters *sums,
		       struct drain_cpu *cpus);
/* Adds those of all turns that can be read. */
void turn_counters_add_all(const struct turn_counters *c, struct eddy_counters *sums);

#endif
