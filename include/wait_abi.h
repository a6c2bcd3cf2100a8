/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting threads, as BPF keeps them and user space finds them at a window's end.
 *
 *	switched out     woken            switched in
 *	     |--- blocked ---|--- runnable ---|
 *	   since           woken             now
 *
 * A wait is charged when it ends, to the stack at which the thread was switched out; its two parts
 * are two counts under that stack's key, whose low bits say which state they were.  What a part is
 * inside the window is computed here, for both sides.
 */
#ifndef EDDY_WAIT_ABI_H
#define EDDY_WAIT_ABI_H

#include "sampler_abi.h"

/* How a thread waits: the low bits of hash[1] of a key in the counts map. */
enum eddy_wait {
	EDDY_WAIT_NONE,	     /* it runs; in a key: the stack itself */
	EDDY_WAIT_SLEEP,     /* blocked, interruptible, or idle */
	EDDY_WAIT_IO,	     /* blocked, uninterruptible, in iowait */
	EDDY_WAIT_DISK,	     /* blocked, uninterruptible */
	EDDY_WAIT_STOPPED,   /* by a signal or a tracer */
	EDDY_WAIT_RUNQUEUE,  /* runnable since it was woken */
	EDDY_WAIT_PREEMPTED, /* runnable since it was switched out */
	/* With config.wall, no waits: */
	EDDY_WAIT_ON_CPU,    /* on a CPU, at the stack of a sample */
	EDDY_WAIT_UNSAMPLED, /* the same, and no sample was ever taken of the thread */
	EDDY_NR_WAITS,
};
#define EDDY_WAIT_BITS 15ull

/* A thread, by its number in the first PID namespace; state EDDY_WAIT_NONE: it runs. */
struct eddy_waiter {
	struct eddy_stack_key key; /* of the stack at which it was switched out; low bits 0 */
	__u64 since_ns;		   /* CLOCK_MONOTONIC; while it runs: since then */
	__u64 woken_ns;		   /* 0: not yet, or it never was blocked */
	__u64 started_ns;	   /* of the thread: numbers are used again */
	__u64 ran_ns;		   /* in its life, at since_ns, as the scheduler counts it */
	__u32 check;		   /* of the stack */
	__u8 state;		   /* enum eddy_wait */
	__u8 is_idle;		   /* a kernel thread that waits for work: only when runnable */
	__u8 has_sample;
	__u8 unused;
	/* With config.wall: time on a CPU that no sample has been charged with yet. */
	__u64 on_ns;		      /* while it runs: since when */
	__u64 carry_ns;		      /* and before that */
	struct eddy_stack_key sample; /* of the last sample's stack, with has_sample */
};

/* Time on a CPU that is to be charged at now_ns. */
static inline __attribute__((always_inline)) __u64 eddy_on_cpu(const struct eddy_waiter *w,
							       __u64 begin_ns, __u64 now_ns)
{
	__u64 since = w->on_ns > begin_ns ? w->on_ns : begin_ns;

	if (w->state != EDDY_WAIT_NONE || !begin_ns || now_ns <= since)
		return w->carry_ns;
	return w->carry_ns + (now_ns - since);
}

/* The stack that gets it when no sample will come any more. */
static inline __attribute__((always_inline)) void eddy_on_cpu_key(const struct eddy_waiter *w,
								  struct eddy_stack_key *ret)
{
	*ret = w->has_sample ? w->sample : w->key;
	ret->hash[1] |= w->has_sample ? EDDY_WAIT_ON_CPU : EDDY_WAIT_UNSAMPLED;
}

/* When a thread was switched out that ran, nobody saw it, and that is switched in now. */
static inline __attribute__((always_inline)) __u64 eddy_unseen_out(const struct eddy_waiter *w,
								   __u64 now_ns, __u64 ran_ns)
{
	__u64 out_ns = w->since_ns + (ran_ns > w->ran_ns ? ran_ns - w->ran_ns : 0);

	if (out_ns < w->on_ns)
		out_ns = w->on_ns;
	return out_ns < now_ns ? out_ns : now_ns;
}

/* When a thread was switched in that waited, nobody saw it, and that is switched out now. */
static inline __attribute__((always_inline)) __u64 eddy_unseen_in(const struct eddy_waiter *w,
								  __u64 now_ns, __u64 ran_ns)
{
	__u64 least = w->woken_ns > w->since_ns ? w->woken_ns : w->since_ns, ran = 0, in_ns;

	if (ran_ns > w->ran_ns)
		ran = ran_ns - w->ran_ns;
	in_ns = now_ns > ran ? now_ns - ran : 0;
	return in_ns > least ? in_ns : least;
}

/* A wait, or its part inside the window. */
struct eddy_wait_parts {
	__u64 blocked_ns;
	__u64 runnable_ns;
	__u32 blocked;	/* enum eddy_wait; EDDY_WAIT_NONE: it was not */
	__u32 runnable; /* the same */
};

/* The parts of a wait from begin_ns on until now_ns. */
static inline __attribute__((always_inline)) void eddy_wait_split(const struct eddy_waiter *w,
								  __u64 begin_ns, __u64 now_ns,
								  struct eddy_wait_parts *ret)
{
	__u64 since = w->since_ns > begin_ns ? w->since_ns : begin_ns, woken = w->woken_ns;

	ret->blocked_ns = ret->runnable_ns = 0;
	ret->blocked = ret->runnable = EDDY_WAIT_NONE;
	if (now_ns <= since)
		return;
	if (w->state >= EDDY_WAIT_RUNQUEUE) {
		ret->runnable = w->state;
		ret->runnable_ns = now_ns - since;
		return;
	}
	if (!woken || woken > now_ns)
		woken = now_ns;
	if (woken > since) {
		ret->blocked = w->state;
		ret->blocked_ns = woken - since;
		since = woken;
	}
	if (now_ns > since) {
		ret->runnable = EDDY_WAIT_RUNQUEUE;
		ret->runnable_ns = now_ns - since;
	}
}

#endif
