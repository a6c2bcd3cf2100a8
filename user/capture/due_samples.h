/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was due at the end of each window, and where those samples are that were not taken.
 */
#ifndef EDDY_CAPTURE_DUE_SAMPLES_H
#define EDDY_CAPTURE_DUE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "capture/cpu_events.h"
#include "capture/drain.h"
#include "capture/not_taken.h"

/* Zeroed at the start. */
struct due_samples {
	struct cpu_events_totals totals; /* at the end of the last window */
	struct cpu_events_cpu *cpus;	 /* totals.nr_cpus */
	struct not_taken_cpu *judged;	 /* by CPU number */
	size_t nr_judged;
	struct not_taken not_taken; /* since the start */
	uint64_t slack;		    /* that those of the last window may be wrong by */
};

void due_samples_deinit(struct due_samples *d);

/* A window ends: how the events stand now. */
void due_samples_note(struct due_samples *d, struct cpu_events *events);
/*
 * Where those samples are that were due by due_samples_note() and were not counted by now; counted
 * says what was, of a CPU.
 */
void due_samples_judge(struct due_samples *d,
		       struct drain_cpu (*counted)(const struct drain *drain, uint32_t cpu),
		       const struct drain *drain);

#endif
