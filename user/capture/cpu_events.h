/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One perf event per CPU with a BPF program on it; CPUs may come and go while it runs.  Several
 * threads may use the same ones.
 */
#ifndef EDDY_CAPTURE_CPU_EVENTS_H
#define EDDY_CAPTURE_CPU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/event.h"
#include "util/clock.h"
#include "util/diag.h"

struct bpf_program;
struct cpu_events;

struct cpu_events_totals {
	uint64_t due;	     /* samples due by enabled time (clocks) or by count (periods) */
	bool due_is_known;   /* false for a frequency on an event that is not a clock */
	uint64_t counted;    /* what the events counted: nanoseconds for clocks */
	uint64_t enabled_ns; /* summed over CPUs */
	uint64_t running_ns;
	uint64_t throttled; /* PERF_RECORD_THROTTLE records */
	uint64_t nr_cpus;   /* sampled at any time */
};

/* Samples of one CPU since the start, in the order in which CPUs came. */
struct cpu_events_cpu {
	uint32_t cpu;
	uint64_t due;
	/* That would have been due in the time that the CPU was idle, and so on; clocks only: */
	uint64_t idle, stolen;
	uint64_t throttled;
	uint64_t slack; /* what the first two may be wrong by */
};

/*
 * Opens an event on each of cpus (NULL: on all that are online, following hot-plug).  A CPU of the
 * list that is not online is an error.
 */
int cpu_events_open(const struct capture_event *event, const struct capture_rate *rate,
		    const uint32_t *cpus, size_t nr_cpus, struct cpu_events **ret_events,
		    struct diag *ret_diag);
void cpu_events_free(struct cpu_events *e);

/* Attaches prog and enables. */
int cpu_events_start(struct cpu_events *e, struct bpf_program *prog, struct diag *ret_diag);
/* Closes events of CPUs that went, opens those of CPUs that came; not more than a few times a
 * second. */
int cpu_events_follow_hotplug(struct cpu_events *e, struct diag *ret_diag);
/*
 * Samples at another rate from now on; those due are counted by the rate of their time.  Events are
 * closed and opened again: for some microseconds there are none.
 */
int cpu_events_set_rate(struct cpu_events *e, const struct capture_rate *rate,
			struct diag *ret_diag);
/*
 * No event fires after this.  Where they were stopped already, *ret_stopped (may be NULL) is then.
 */
void cpu_events_stop(struct cpu_events *e, struct instant *ret_stopped);
/* Reads what the throttle rings hold; they are small, so call it a few times a second. */
void cpu_events_poll(struct cpu_events *e);
void cpu_events_get_totals(struct cpu_events *e, struct cpu_events_totals *ret_totals);
/* The same, and *ret_cpus, to be freed: nr_cpus elements whose dues add up to the total. */
void cpu_events_get_cpus(struct cpu_events *e, struct cpu_events_totals *ret_totals,
			 struct cpu_events_cpu **ret_cpus);

#endif
