/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sampler has counted, on its way to the consumer: stacks from the ring, counts from the
 * maps, window by window.
 *
 *	window      |------------ 1 ------------|------ 2 ------|
 *	turns       |--- 0 ---|------- 1 -------|------ 2 ------|
 *	                      map full
 *
 * A window consists of turns (capture/counts.h).  Records that come out of the ring while a turn is
 * being closed and belong to the next one wait until it is closed.
 */
#ifndef EDDY_CAPTURE_DRAIN_H
#define EDDY_CAPTURE_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/open_waits.h"
#include "capture/sampler.h"

struct drain;

struct drain_opts {
	int ring_fd, counts_fd, counters_fd; /* of the sampler's maps; stay the caller's */
	uint64_t ring_bytes, map_bytes;
	uint32_t *turn;	       /* the sampler's variable; outlives the drain */
	const __u64 *begun_ns; /* EDDY_NR_BEGUN of them, as long */
	const struct sampler_consumer *consumer;
	size_t max_stacks;
	bool copy_all;
	bool is_weighed; /* samples weigh their period; else 1 each */
	bool has_times;	 /* consumer->time() is told when samples were taken */
	int marks_fd;	 /* the map of those; with has_times */
	/* Of waits; NULL: samples are counted. */
	const struct open_waits_opts *waits;
};

int drain_new(const struct drain_opts *opts, struct drain **ret_drain, struct diag *ret_diag);
void drain_free(struct drain *d); /* NULL is fine; before the loader */
/*
 * Requests for tables go there, and samples without one wait for it; once, before the first. no_fp:
 * no step by frame pointer is taken in those.  Negative errno.
 */
int drain_use_loader(struct drain *d, struct unwind_loader *loader, uint32_t max_user_frames,
		     bool no_fp);

/* Readable when the ring should be emptied. */
int drain_poll_fd(const struct drain *d);
/* Hands over the stacks that are in the ring; > 0: there were some. */
int drain_ring(struct drain *d);
/*
 * The same of a part, so that whoever calls sees in time that more come than can be handled (a ring
 * full takes seconds on a busy machine); the descriptor stays readable while there are more.
 */
int drain_ring_part(struct drain *d);
/* Begins another turn when the map of this one fills up, or too many stacks are known. */
int drain_relieve(struct drain *d);
/* Does what can be done before the window ends, so that its end is short; -errno when it cannot. */
int drain_prepare_end(struct drain *d);
/*
 * Ends the window: everything that was sampled in it has been handed over.  *ret_end: when.
 * -errno: it goes on.
 */
int drain_end_window(struct drain *d, struct instant *ret_end);
/* The same for the last one, when no sample will come any more. */
int drain_finish(struct drain *d);

/* Sums over all windows that have ended. */
struct drain_totals {
	struct eddy_counters counters;
	uint64_t kept;		 /* samples that were handed to the consumer */
	uint64_t lost_ring_full; /* recorded by the sampler, but their stacks never came */
	uint64_t weight_kept, weight_lost_ring_full; /* of these two */
	uint64_t nr_stacks;			     /* distinct in their window */
	uint64_t nr_relieved;
	struct open_waits open; /* those that the program has not counted */
};
void drain_get_totals(const struct drain *d, struct drain_totals *ret_totals);
/* The same of one CPU. */
struct drain_cpu {
	uint64_t delivered, idle_task; /* as in struct eddy_counters */
};
struct drain_cpu drain_get_cpu(const struct drain *d, uint32_t cpu);
/* The counters since the start, with those of the window that goes on where they can be read. */
void drain_get_counters(const struct drain *d, struct eddy_counters *ret_counters);
uint64_t drain_bytes(const struct drain *d); /* memory */

#endif
