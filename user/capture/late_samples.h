/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that came before the unwind table of one of their files: kept with a copy of their
 * stack until the table is there, then walked in user space by the same step as in BPF.  A sample
 * that cannot be helped (its process ended before its mappings were read, the table never came)
 * is handed over as far as the sampler walked it.
 */
#ifndef EDDY_CAPTURE_LATE_SAMPLES_H
#define EDDY_CAPTURE_LATE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/unwind_loader.h"
#include "sampler_abi.h"

struct late_samples;

/* Gets every sample exactly once, weight 1. */
typedef void (*late_sample_fn)(void *ctx, const struct eddy_stack_event *ev);

struct late_samples_opts {
	struct unwind_loader *loader; /* stays the caller's */
	struct worker_pool *pool;     /* reads mappings (late_views.h); the same; NULL: none */
	uint32_t max_user_frames;
	bool no_fp;	       /* no step by frame pointer */
	const __u64 *begun_ns; /* of programs: see EDDY_NR_BEGUN; NULL: not known */
	late_sample_fn on_sample;
	void *ctx;
};

/* Negative errno. */
int late_samples_new(const struct late_samples_opts *opts, struct late_samples **ret_samples);
void late_samples_free(struct late_samples *l); /* NULL is fine */

/*
 * Takes a sample in (a record of so many bytes); its process is looked at meanwhile.  Frames and
 * bytes of the stack that the record cannot hold are not believed; a record without a place for its
 * frames is left out.
 */
void late_samples_add(struct late_samples *l, const struct eddy_late_event *ev, size_t bytes);
/* Hands over what can be walked now; `last`: everything. */
void late_samples_poll(struct late_samples *l, bool last);
/* The end is near: processes that rest from being looked at do so no longer. */
void late_samples_hurry(struct late_samples *l);
/* Is a process being looked at for a sample that waits? */
bool late_samples_are_busy(const struct late_samples *l);
/* Samples that wait. */
size_t late_samples_nr(const struct late_samples *l);
/* Memory: of samples that wait, and of mappings. */
size_t late_samples_bytes(const struct late_samples *l);

#endif
