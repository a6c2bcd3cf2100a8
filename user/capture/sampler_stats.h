/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sampler has counted.  A counter that is added to struct sampler_stats or to struct
 * eddy_counters must be added to one of the two lists in sampler_stats.c, which does not compile
 * before: from them windows are told apart and added up.
 */
#ifndef EDDY_CAPTURE_SAMPLER_STATS_H
#define EDDY_CAPTURE_SAMPLER_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/not_taken.h"
#include "capture/unwind_loader.h"
#include "sampler_abi.h"

enum sampler_loss {
	SAMPLER_LOST_MAP_FULL,
	SAMPLER_LOST_MAP_BUSY,
	SAMPLER_LOST_RING_FULL, /* counted, but the stack itself never got through the ring */
	SAMPLER_LOST_SWITCH,	/* time of threads that nobody saw switched out */
	NR_SAMPLER_LOSSES
};
const char *sampler_loss_name(enum sampler_loss loss); /* "map-full", ... */

/*
 * A frequency on an event that is no clock: the kernel adapts the period, and a sample weighs that
 * of its time.  Zeros when samples are not weighed.
 */
struct sampler_weights {
	uint64_t counted; /* events, by the kernel's counters */
	/* What samples stand for: delivered == idle + filtered + kept + sum of lost[], exactly. */
	uint64_t delivered, idle, filtered, kept;
	uint64_t lost[NR_SAMPLER_LOSSES];
};

struct sampler_stats {
	uint64_t due; /* by the events' own enabled time (or count); see due_is_known */
	uint64_t delivered, idle, filtered, kept;
	uint64_t lost[NR_SAMPLER_LOSSES];
	uint64_t idle_task; /* delivered, of the idle task, kept or not */
	/*
	 * due - delivered, but for the samples of each CPU that were due in one window and came in
	 * the next; zeros when due is not known.
	 */
	struct not_taken not_taken;
	uint64_t not_taken_slack; /* by how much its parts may be wrong, now */
	struct sampler_weights weight;
	uint64_t spilled, hash_conflicts, ring_retries;
	uint64_t late; /* kept, walked in user space when a table had come */
	/* kernel stacks walked by eddy, those compared with the kernel's own, those that differed
	 */
	uint64_t kernel_walked, kernel_checked, kernel_differed;
	uint64_t throttled;  /* times the kernel held an event back for a tick */
	uint64_t enabled_ns; /* summed over CPUs */
	uint64_t running_ns; /* less than enabled_ns when counters were shared */
	uint64_t nr_cpus;    /* CPUs that were sampled at any time */
	uint64_t bpf_ns;   /* in the program, by its own clock: without the kernel's work around it
			    */
	uint64_t bpf_runs; /* as the kernel counts them while somebody asks it to; else 0 */
	uint64_t bpf_misses;   /* runs the kernel skipped: another program was on the CPU */
	uint64_t switches;     /* of waits: threads switched out that are asked for */
	uint64_t waiters;      /* threads that waited */
	uint64_t unfollowed;   /* switched out, and there was no place to remember it */
	uint64_t unseen;       /* switches and wake-ups that the kernel did not tell */
	uint64_t unwoken_ns;   /* blocked, or then waiting for a CPU: the wake-up was not told */
	uint64_t nr_stacks;    /* distinct stacks met, in each window anew */
	uint64_t nr_rotations; /* times a full counts map was replaced by an empty one */
	uint64_t user_bytes;   /* memory of the table of stacks, now */
	struct unwind_loader_stats tables;	/* zero when there are none */
	bool due_is_known, is_weighed, is_time; /* weights are nanoseconds */
};

/* Sets what the program has counted; the weights only if stats->is_weighed. */
void sampler_stats_set(struct sampler_stats *stats, const struct eddy_counters *from);
/* Of *now, what has come since *before (sums); the rest (nr_cpus, memory) stays as it is. */
void sampler_stats_since(struct sampler_stats *now, const struct sampler_stats *before);
/* Adds what came in the next window; the rest becomes that one's. */
void sampler_stats_add(struct sampler_stats *sum, const struct sampler_stats *next);

#endif
