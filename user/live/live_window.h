/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as they come, interval by interval, and the sum of those intervals that are looked at:
 * the last ten seconds, all of them, or some in the past.
 *
 *	raw    every stack of the intervals that are kept, before any pass
 *	shown  the same stacks after the passes, with the weights of the intervals looked at
 *
 * An interval is two lists of (node, weight).  The passes go stack by stack, so each interval goes
 * through them by itself, once, and what is shown changes by what came and what went: work is in
 * proportion to that.  Old intervals are added up in pairs when there are many, and dropped when
 * memory is full.
 */
#ifndef EDDY_LIVE_LIVE_WINDOW_H
#define EDDY_LIVE_LIVE_WINDOW_H

#include "analysis/pipeline.h"
#include "util/diag.h"

/* What is known of an interval beside its stacks, as the `.json` of a capture has it. */
struct live_account {
	uint64_t start_ms, end_ms; /* since 1970; 0: not known */
	double seconds;		   /* 0: not known */
	double cpu_seconds;	   /* of the sampled CPUs: what 100 % is; 0: not known */
	/* delivered = idle + filtered + kept + lost; 0 without is_counted, and due without has_due
	 */
	uint64_t due, delivered, idle, filtered, kept, lost;
	double own_seconds; /* of a CPU, what sampling and looking cost */
	double bpf_seconds;
	uint64_t nr; /* intervals that these are the sum of */
	bool is_counted, has_due;
};

#define LIVE_MAX_INTERVALS 1200 /* more are added up in pairs, the oldest first */

struct live_window;

/* max_bytes: what stacks may take; the oldest intervals go when they take more. */
struct live_window *live_window_new(size_t max_bytes);
void live_window_free(struct live_window *w); /* NULL is fine */
DEFINE_FREE(live_window, struct live_window *, live_window_free)
#define _cleanup_live_window_ _cleanup_(live_window_freep)

/* Other passes from the next live_window_show() on; what they point to must stay. */
void live_window_use(struct live_window *w, const struct pipeline_request *request);

/* A further interval, the last one so far: its stacks before any pass, which stay the caller's. */
void live_window_add(struct live_window *w, const struct profile *stacks,
		     const struct live_account *account);
/* Adds up what is known of two; of a sum that something is missing from, it is not known. */
void live_account_add(struct live_account *sum, const struct live_account *a);
/* Forgets all intervals. */
void live_window_clear(struct live_window *w);
/* How many there are, and how many were dropped for want of memory. */
size_t live_window_nr(const struct live_window *w);
uint64_t live_window_nr_dropped(const struct live_window *w);
/*
 * Intervals have other numbers when old ones are dropped or added up, and keep their serial: that
 * of interval i, and the interval that has the samples of a serial now.  is_gone: it was dropped,
 * and the oldest is given.  None of them: 0.
 */
uint64_t live_window_serial(const struct live_window *w, size_t i);
size_t live_window_find(const struct live_window *w, uint64_t serial, bool *ret_is_gone);
/* An interval, 0 the oldest. */
const struct live_account *live_window_account(const struct live_window *w, size_t i);

/*
 * Looks at the intervals from..to - 1, each with all of its samples.  0, or -errno with a diag of
 * a pass; -EOVERFLOW when the sum exceeds 63 bits.  Nothing is looked at then.
 */
int live_window_show(struct live_window *w, size_t from, size_t to, struct diag *ret_diag);

/*
 * Looks at those before `to`, each with as much less of its samples as it is older: half of them
 * after half_life_s.  Weights are in LIVE_DECAY_PARTS of a sample; what would be less than one such
 * part is not looked at.  0 or -errno as above.
 */
#define LIVE_DECAY_PARTS 1024
int live_window_show_decayed(struct live_window *w, size_t to, double half_life_s,
			     struct diag *ret_diag);
/* What a weight of 1 is of a sample: 1, or LIVE_DECAY_PARTS. */
uint32_t live_window_parts(const struct live_window *w);

/* Valid until the next call of one of the above but the constant ones. */
const struct profile *live_window_shown(const struct live_window *w);
const struct profile *live_window_raw(const struct live_window *w);
/* The intervals looked at: from..to - 1. */
void live_window_range(const struct live_window *w, size_t *ret_from, size_t *ret_to);
/* Samples of the intervals looked at that the passes left out. */
uint64_t live_window_left_out(const struct live_window *w);
/* Their accounts, added up. */
struct live_account live_window_sum(const struct live_window *w);
/* Another number: the nodes of `shown` and `raw` and their frames are others than before. */
uint64_t live_window_generation(const struct live_window *w);
size_t live_window_bytes(const struct live_window *w);

/* The intervals that end with to - 1 and last `seconds` (0: all), at least one; the first. */
size_t live_window_from(const struct live_window *w, size_t to, double seconds);

#endif
