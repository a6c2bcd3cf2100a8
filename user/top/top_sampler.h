/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture in a thread of its own, which hands over a window whenever an interval is over: whoever
 * looks at them may be as slow as a terminal that is stopped, sampling goes on.  Windows that
 * nobody takes are added up.
 */
#ifndef EDDY_TOP_TOP_SAMPLER_H
#define EDDY_TOP_TOP_SAMPLER_H

#include "live/live_text.h"
#include "run/capture_run.h"

/* One that was handed over. */
struct top_interval {
	struct profile *stacks; /* before any pass */
	struct live_account account;
	char *source;	       /* "cpu-clock, 99 Hz" */
	char *unit;	       /* what a count is; NULL: a sample */
	char *blind;	       /* what the event cannot see */
	struct live_cpu *cpus; /* those that were sampled */
	size_t nr_cpus;
};
void top_interval_deinit(struct top_interval *i); /* zero-filled is fine */
#define _cleanup_top_interval_ __attribute__((cleanup(top_interval_deinit)))

struct top_sampler;

/*
 * Opens the capture and begins to sample.  is_first_short: the first intervals are shorter than the
 * others.  signals_fd: a signal there ends it.  0, or -errno with a diag.
 */
int top_sampler_start(const struct capture_request *request, bool is_first_short, int signals_fd,
		      struct top_sampler **ret_sampler, struct diag *ret_diag);
/* Has it ended?  May be asked at any time, from a signal handler too. */
bool top_sampler_has_ended(const struct top_sampler *s);
/* Instructions are wanted, or not any more: from the next interval on, at most one later. */
void top_sampler_want_places(struct top_sampler *s, bool places);
/* Ends the capture and waits for it; NULL is fine. */
void top_sampler_free(struct top_sampler *s);
DEFINE_FREE(top_sampler, struct top_sampler *, top_sampler_free)

/* Readable while there is an interval to take, or the capture has ended. */
int top_sampler_fd(const struct top_sampler *s);

enum top_taken {
	TOP_TAKEN,   /* *ret_interval is the next one */
	TOP_NOTHING, /* there is none yet */
	TOP_ENDED,   /* there will be none any more */
};
/* The enum; or -errno with a diag, when the capture has failed. */
int top_sampler_take(struct top_sampler *s, struct top_interval *ret_interval,
		     struct diag *ret_diag);

#endif
