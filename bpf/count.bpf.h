/* SPDX-License-Identifier: GPL-2.0 */
/* Where a sample that is wanted ends: in the counts map, in the ring, or lost. */
#ifndef EDDY_COUNT_BPF_H
#define EDDY_COUNT_BPF_H

#include "index.bpf.h"
#include "maps.bpf.h"
#include "variables.bpf.h"
#include <linux/errno.h>

enum { SENT_NOT, SENT_YES };

/* Counts the sample, and what it weighs, in the place where it ends. */
#define COUNT_SAMPLE(c, place, s)                            \
	do {                                                 \
		(c)->place++;                                \
		if (config.is_weighed)                       \
			(c)->weight.place += (s)->ev.period; \
	} while (0)

static __always_inline __u64 wake_flags(__u32 pid)
{
	if (pid && seen[pid % NR_SEEN] != pid) {
		seen[pid % NR_SEEN] = pid;
		return BPF_RB_FORCE_WAKEUP;
	}
	if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > config.wake_bytes)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

/* Sends the stack itself; samples 1 counts the sample there and nowhere else. */
static __always_inline int stack_send(struct eddy_scratch *s, __u32 samples)
{
	__u32 nr = (__u32)s->ev.nr_kernel + s->ev.nr_user;
	__u64 bytes;

	if (nr > EDDY_MAX_FRAMES)
		nr = EDDY_MAX_FRAMES;
	bytes = sizeof(s->ev) + nr * sizeof(__u64);
	s->ev.type = EDDY_EVENT_STACK;
	s->ev.samples = samples;
	s->ev.time_ns = bpf_ktime_get_ns();
	s->ev.uid = (__u32)bpf_get_current_uid_gid();
	return bpf_ringbuf_output(&ring, &s->ev, bytes, wake_flags(s->ev.pid)) ? SENT_NOT
									       : SENT_YES;
}

/* The map cannot count it: the sample goes through the ring, with its stack or its hash alone. */
static __always_inline void stack_spill(struct eddy_scratch *s, struct eddy_counters *c, bool known,
					bool full)
{
	int err;

	if (known) {
		s->spill.type = EDDY_EVENT_SPILL;
		s->spill.samples = 1;
		s->spill.key = s->ev.key;
		s->spill.period = s->ev.period;
		s->spill.time_ns = s->begun_ns;
		s->spill.turn = s->ev.turn;
		err = bpf_ringbuf_output(&ring, &s->spill, sizeof(s->spill), BPF_RB_NO_WAKEUP);
	} else {
		err = stack_send(s, 1) == SENT_NOT;
	}
	if (!err) {
		COUNT_SAMPLE(c, recorded, s);
		c->spilled++;
	} else if (full) {
		COUNT_SAMPLE(c, lost_map_full, s);
	} else {
		COUNT_SAMPLE(c, lost_map_busy, s);
	}
}

/* When the sample was taken that the counts map has counted. */
static __always_inline void mark_put(struct eddy_scratch *s)
{
	struct eddy_marks_event *m;
	struct eddy_mark *mark;
	__u32 nr;

	s->which = s->ev.turn % EDDY_NR_TURNS;
	m = bpf_map_lookup_elem(&marks, &s->which);
	if (!m)
		return;
	nr = m->nr;
	if (nr >= EDDY_NR_MARKS)
		return;
	mark = &m->marks[EDDY_INDEX(nr, EDDY_NR_MARKS)];
	mark->key = s->ev.key;
	mark->time_ns = s->begun_ns;
	mark->period = s->ev.period;
	m->nr = ++nr;
	if (nr < EDDY_NR_MARKS)
		return;
	m->type = EDDY_EVENT_MARKS;
	m->turn = s->ev.turn;
	if (!bpf_ringbuf_output(&ring, m, sizeof(*m), wake_flags(0)))
		m->nr = 0;
}

/* One atomic add for a stack that is known. */
static __always_inline bool stack_add(struct eddy_scratch *s, struct eddy_counters *c, void *counts)
{
	struct eddy_count *v = bpf_map_lookup_elem(counts, &s->ev.key);

	if (!v)
		return false;
	if (v->check != s->ev.check) {
		c->hash_conflicts++;
		stack_spill(s, c, false, false);
		return true;
	}
	/* Relaxed: else clang 22 also fetches, and 5.10 says "BPF_STX uses reserved fields". */
	__atomic_fetch_add(&v->count, 1, __ATOMIC_RELAXED);
	if (config.is_weighed)
		__atomic_fetch_add(&v->weight, s->ev.period, __ATOMIC_RELAXED);
	COUNT_SAMPLE(c, recorded, s);
	s->is_counted = true;
	if (!v->sent)
		v->sent = stack_send(s, 0);
	return true;
}

static __always_inline void stack_count(struct eddy_scratch *s, struct eddy_counters *c)
{
	struct eddy_count v = {
		.count = 1,
		.weight = config.is_weighed ? s->ev.period : 0,
		.check = s->ev.check,
	};
	__u32 which = s->ev.turn % EDDY_NR_TURNS;
	void *counts = bpf_map_lookup_elem(&active, &which);
	long err;

	if (!counts) {
		stack_spill(s, c, false, false);
		return;
	}
	if (stack_add(s, c, counts))
		return;
	v.sent = stack_send(s, 0);
	if (v.sent == SENT_NOT)
		c->ring_retries++;
	err = bpf_map_update_elem(counts, &s->ev.key, &v, BPF_NOEXIST);
	if (!err) {
		COUNT_SAMPLE(c, recorded, s);
		s->is_counted = true;
		return;
	}
	/* Another CPU was faster, or there is no room, or its lock is held. */
	if (err == -EEXIST && stack_add(s, c, counts))
		return;
	stack_spill(s, c, v.sent == SENT_YES, err == -E2BIG);
}

#endif
