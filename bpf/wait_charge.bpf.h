/* SPDX-License-Identifier: GPL-2.0 */
/* The time of threads, charged to the stack at which they waited: waits.bpf.h says when. */
#ifndef EDDY_WAIT_CHARGE_BPF_H
#define EDDY_WAIT_CHARGE_BPF_H

#include "count.bpf.h"
#include "wait_abi.h"

/* Adds s->spill.period ns to s->spill.key. */
static __always_inline bool wait_add(struct eddy_scratch *s, void *counts)
{
	struct eddy_count *v = bpf_map_lookup_elem(counts, &s->spill.key);

	if (!v)
		return false;
	__atomic_fetch_add(&v->count, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&v->weight, s->spill.period, __ATOMIC_RELAXED);
	return true;
}

/* In the map, or through the ring; 0, or why neither. */
static __always_inline long wait_store(struct eddy_scratch *s, struct eddy_counters *c, __u32 check)
{
	struct eddy_count v = { .count = 1, .weight = s->spill.period, .check = check, .sent = 1 };
	__u32 which = s->spill.turn % EDDY_NR_TURNS;
	void *counts = bpf_map_lookup_elem(&active, &which);
	long err = -ENOENT;

	if (counts) {
		if (wait_add(s, counts))
			return 0;
		err = bpf_map_update_elem(counts, &s->spill.key, &v, BPF_NOEXIST);
		if (!err || (err == -EEXIST && wait_add(s, counts)))
			return 0;
	}
	s->spill.type = EDDY_EVENT_SPILL;
	s->spill.samples = 1;
	if (bpf_ringbuf_output(&ring, &s->spill, sizeof(s->spill), BPF_RB_NO_WAKEUP))
		return err;
	c->spilled++;
	return 0;
}

/* Charges s->spill.key. */
static __always_inline void key_charge(struct eddy_scratch *s, struct eddy_counters *c, __u64 ns)
{
	long err;

	s->spill.period = ns;
	c->delivered++;
	c->weight.delivered += ns;
	err = wait_store(s, c, 0);
	if (!err) {
		c->recorded++;
		c->weight.recorded += ns;
	} else if (err == -E2BIG) {
		c->lost_map_full++;
		c->weight.lost_map_full += ns;
	} else {
		c->lost_map_busy++;
		c->weight.lost_map_busy += ns;
	}
}

/* One part of a wait. */
static __always_inline void part_charge(struct eddy_scratch *s, struct eddy_counters *c,
					const struct eddy_waiter *w, __u32 state, __u64 ns)
{
	if (!ns)
		return;
	s->spill.key.hash[0] = w->key.hash[0];
	s->spill.key.hash[1] = w->key.hash[1] | state;
	key_charge(s, c, ns);
}

static __always_inline void wait_charge(struct eddy_scratch *s, struct eddy_counters *c,
					const struct eddy_waiter *w, __u64 now_ns)
{
	struct eddy_wait_parts p;

	if (!wait_window.begin_ns)
		return;
	eddy_wait_split(w, wait_window.begin_ns, now_ns, &p);
	if (w->is_idle && p.blocked_ns) {
		c->delivered++;
		c->idle++;
		c->weight.delivered += p.blocked_ns;
		c->weight.idle += p.blocked_ns;
		p.blocked_ns = 0;
	}
	if (config.min_wait_ns && p.blocked_ns + p.runnable_ns < config.min_wait_ns) {
		c->delivered++;
		c->filtered++;
		c->weight.delivered += p.blocked_ns + p.runnable_ns;
		c->weight.filtered += p.blocked_ns + p.runnable_ns;
		return;
	}
	part_charge(s, c, w, p.blocked, p.blocked_ns);
	part_charge(s, c, w, p.runnable, p.runnable_ns);
}

/*
 * Kernels leave out some switches and wake-ups (6.18 in a virtual machine: one in some thousand,
 * from the idle task and from a few threads; its own tracing misses them too).  When such a switch
 * was is told by the time that the thread has run, which the scheduler counts.
 */

/* It was switched out, and nobody saw where: what it has waited since is lost. */
static __always_inline void unseen_out(struct eddy_counters *c, struct eddy_waiter *w, __u64 now_ns,
				       __u64 ran_ns)
{
	__u64 out_ns = eddy_unseen_out(w, now_ns, ran_ns), ns = 0;

	if (wait_window.begin_ns) {
		w->carry_ns = eddy_on_cpu(w, wait_window.begin_ns, out_ns);
		ns = now_ns - (out_ns > wait_window.begin_ns ? out_ns : wait_window.begin_ns);
	}
	c->unseen++;
	if (!ns)
		return;
	c->delivered++;
	c->weight.delivered += ns;
	if (w->is_idle) {
		c->idle++;
		c->weight.idle += ns;
	} else {
		c->lost_switch++;
		c->weight.lost_switch += ns;
	}
}

/* Then all of the wait counts as blocked, though it ended with a wait for a CPU. */
static __always_inline void unseen_wakeup(struct eddy_counters *c, const struct eddy_waiter *w,
					  __u64 now_ns)
{
	__u64 begin_ns = wait_window.begin_ns, since_ns = w->since_ns;

	if (!begin_ns || now_ns <= begin_ns)
		return;
	c->unseen++;
	c->unwoken_ns += now_ns - (since_ns > begin_ns ? since_ns : begin_ns);
}

static __always_inline void waiter_runs(struct eddy_waiter *w, __u64 now_ns, __u64 ran_ns)
{
	w->state = EDDY_WAIT_NONE;
	w->since_ns = now_ns;
	w->on_ns = now_ns;
	w->ran_ns = ran_ns;
}

/*
 * The thread is switched in, having run for ran_ns in its life; is_late: it is switched out, and
 * was not seen to be switched in.  Global, and so verified on its own; spill.turn is set.
 */
__noinline int waiter_charge(__u32 tid, __u64 now_ns, __u64 ran_ns, bool is_late)
{
	__u32 zero = 0, which;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct eddy_waiter *w = bpf_map_lookup_elem(&waiters, &tid);
	struct eddy_counters *c;

	if (!s || !w)
		return 0;
	which = s->spill.turn % EDDY_NR_TURNS;
	c = bpf_map_lookup_elem(&counters, &which);
	if (!c)
		return 0;
	if (is_late) {
		now_ns = eddy_unseen_in(w, now_ns, ran_ns);
		c->unseen++;
	}
	if (w->state == EDDY_WAIT_NONE) {
		unseen_out(c, w, now_ns, ran_ns);
	} else {
		if (!w->woken_ns && w->state < EDDY_WAIT_RUNQUEUE)
			unseen_wakeup(c, w, now_ns);
		wait_charge(s, c, w, now_ns);
	}
	waiter_runs(w, now_ns, ran_ns);
	return 0;
}

/*
 * The thread is switched out; it should be known to run.  Without a branch where it is called,
 * which would double what there is to be verified.
 */
__noinline int waiter_leave(__u32 tid, __u64 now_ns, __u64 ran_ns, __u64 started_ns)
{
	struct eddy_waiter *w = bpf_map_lookup_elem(&waiters, &tid);

	if (w && w->state != EDDY_WAIT_NONE && w->started_ns == started_ns)
		waiter_charge(tid, now_ns, ran_ns, true);
	return 0;
}

#endif
