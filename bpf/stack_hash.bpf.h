/* SPDX-License-Identifier: GPL-2.0 */
/* The key of a stack in the counts map: a hash of all that makes it different from another. */
#ifndef EDDY_STACK_HASH_BPF_H
#define EDDY_STACK_HASH_BPF_H

#include "index.bpf.h"
#include "variables.bpf.h"
#include "walk_state.bpf.h"

#define HASH_PIECE 32 /* frames that one call takes */

static __always_inline void hash_add(struct eddy_hash *h, __u64 v)
{
	h->hash[0] = (h->hash[0] ^ v) * 0x9e3779b97f4a7c15ull;
	h->hash[0] = h->hash[0] << 32 | h->hash[0] >> 32;
	h->hash[1] = (h->hash[1] + v) * 0xc2b2ae3d27d4eb4full;
	h->hash[1] = h->hash[1] << 29 | h->hash[1] >> 35;
	h->check = h->check * 31 + (__u32)(v ^ v >> 32);
}

static __always_inline __u64 hash_finish(__u64 h)
{
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdull;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53ull;
	return h ^ h >> 33;
}

/* All changes of code outside the kernel's own text, as a number. */
static __always_inline __u64 text_serial(const struct eddy_stack_event *ev)
{
	__u32 seq = 0;

	if (text.bpf_seq)
		bpf_probe_read_kernel(&seq, sizeof(seq), (void *)text.bpf_seq);
	return (__u64)ev->module_seq << 32 | (seq + text.bpf_serial);
}

/*
 * Adds a piece of the frames, from frame `from` on, to s->hash.  Global, and so verified once and
 * not once for each of a thousand frames, which was half of the program's verification.
 */
__noinline int hash_frames(__u32 from)
{
	__u32 zero = 0, nr, i;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct eddy_hash h;

	if (!s)
		return 0;
	h = s->hash;
	nr = (__u32)s->ev.nr_kernel + s->ev.nr_user;
	for (i = 0; i < HASH_PIECE; i++) {
		__u32 at = from + i;

		EDDY_UNWIND_OPAQUE(at); /* else its bound is one of another number */
		if (at >= nr || at >= EDDY_MAX_FRAMES)
			break;
		hash_add(&h, s->frames[at]);
		/* A kernel address outside of the text, without a branch. */
		h.outside |= ((__u64)at - s->ev.nr_kernel) &
			     ~((s->frames[at] - text.start) - text.bytes);
	}
	s->hash = h;
	return 0;
}

/* Everything that makes this stack different from another; sets ev.key and ev.check. */
static __always_inline void hash_stack(struct eddy_scratch *s)
{
	struct eddy_stack_event *ev = &s->ev;
	struct eddy_hash *h = &s->hash;
	__u32 nr = (__u32)ev->nr_kernel + ev->nr_user;
	__u32 i;

	*h = (struct eddy_hash){ .hash = { config.seed, ~config.seed } };
	hash_add(h, (__u64)ev->pid << 32 | ev->tid);
	hash_add(h, (__u64)ev->user_end << 56 | (__u64)ev->cpu << 32 | (__u32)ev->nr_kernel << 16 |
			    ev->flags);
	hash_add(h, ev->cgroup);
	if (ev->pid)
		hash_add(h, (__u64)ev->exec_id << 32 | ev->started_ms);
	hash_add(h, *(__u64 *)&ev->comm[0]);
	hash_add(h, *(__u64 *)&ev->comm[8]);
	if (config.identity & EDDY_IDENTITY_PROGRAM) {
		hash_add(h, *(__u64 *)&ev->program[0]);
		hash_add(h, *(__u64 *)&ev->program[8]);
	}
	for (i = 0; i < EDDY_MAX_FRAMES; i += HASH_PIECE) {
		if (i >= nr)
			break;
		hash_frames(i);
	}
	if (h->outside >> 63)
		hash_add(h, text_serial(ev));
	ev->key.hash[0] = hash_finish(h->hash[0]);
	ev->key.hash[1] = hash_finish(h->hash[1]);
	ev->check = h->check;
}

#endif
