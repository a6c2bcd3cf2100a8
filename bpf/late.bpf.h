/* SPDX-License-Identifier: GPL-2.0 */
/* Samples that met a file without its table are sent with a copy of their stack. */
#ifndef EDDY_LATE_BPF_H
#define EDDY_LATE_BPF_H

#include "count.bpf.h"
#include "maps.bpf.h"
#include "probes.bpf.h"
#include "variables.bpf.h"

/*
 * Copies the stack from the red zone on, to its end or to a limit.  Chunks end at multiples of
 * their size, so that the last one ends where the stack does; the first may lie, but for the red
 * zone, in a page that was never touched.
 */
static __always_inline __u32 stack_copy(struct eddy_late_event *l, __u32 max_bytes)
{
	__u64 at = (l->sp - 128) & ~(__u64)(EDDY_LATE_CHUNK - 1);
	__u32 bytes = 0, i;
	__u8 byte;

	if (bpf_probe_read_user(&byte, sizeof(byte), (void *)at))
		at += EDDY_LATE_CHUNK;
	l->stack_addr = at;
	for (i = 0; i < EDDY_LATE_STACK_BYTES / EDDY_LATE_CHUNK; i++) {
		if (i * EDDY_LATE_CHUNK >= max_bytes ||
		    bpf_probe_read_user(l->stack + i * EDDY_LATE_CHUNK, EDDY_LATE_CHUNK,
					(void *)(at + i * EDDY_LATE_CHUNK)))
			break;
		bytes = (i + 1) * EDDY_LATE_CHUNK;
	}
	return bytes;
}

/*
 * Sends the sample with the registers it began with (put into walk.state again) and its stack.
 * Copies become short when the ring fills, and take half of it at most: a stack that finds no room
 * would be lost, a copy is not missed.
 */
static __always_inline bool late_send(struct eddy_scratch *s)
{
	__u32 cpu = bpf_get_smp_processor_id(), bytes;
	struct eddy_late_event *l = bpf_map_lookup_elem(&late, &cpu);
	__u64 waiting = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);

	if (!l || (config.copy == EDDY_COPY_PENDING && waiting > 2 * config.wake_bytes))
		return false;
	s->ev.samples = config.copy == EDDY_COPY_PENDING && !config.waits;
	s->ev.time_ns = bpf_ktime_get_ns();
	s->ev.uid = (__u32)bpf_get_current_uid_gid();
	s->ev.type = EDDY_EVENT_STACK;
	if (bpf_probe_read_kernel(&l->ev, sizeof(l->ev) + sizeof(l->frames), &s->ev) ||
	    bpf_probe_read_kernel(l->gpr, sizeof(l->gpr), s->walk.state.gpr))
		return false;
	l->type = EDDY_EVENT_LATE;
	l->pc = s->walk.state.pc;
	l->sp = s->walk.state.sp;
	l->fp = s->walk.state.fp;
	l->lr = s->walk.state.lr;
	bytes = stack_copy(l, waiting > config.wake_bytes * 3 / 2 ? EDDY_LATE_SHORT_BYTES
								  : EDDY_LATE_STACK_BYTES);
	l->stack_bytes = bytes;
	if (s->walk.trampoline)
		late_mend(s->walk.trampoline);
	bytes += offsetof(struct eddy_late_event, stack);
	EDDY_UNWIND_OPAQUE(bytes); /* else the compiler knows, and the verifier does not */
	if (bytes > sizeof(*l))
		return false;
	return !bpf_ringbuf_output(&ring, l, bytes, wake_flags(s->ev.pid));
}

/* Is the sample to be sent with its stack?  Not when the event cannot hold its frames. */
static __always_inline bool is_late(const struct eddy_scratch *s)
{
	if ((__u32)s->ev.nr_kernel + s->ev.nr_user > EDDY_LATE_FRAMES)
		return false;
	if (config.copy == EDDY_COPY_ALL)
		return s->ev.nr_user && s->ev.user_end != EDDY_END_COMPAT32;
	return s->ev.user_end == EDDY_END_PENDING;
}

#endif
