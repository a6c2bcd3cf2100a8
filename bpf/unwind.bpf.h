/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The walk up a user stack: one frame per call of a global function in a bounded loop, so that the
 * verifier sees the step once and not once a frame (5.10 to 6.18, up to 1023 frames).
 */
#ifndef EDDY_UNWIND_BPF_H
#define EDDY_UNWIND_BPF_H

#include "maps.bpf.h"
#include "unwind_abi.h"

#define EDDY_FP_MAX_FRAME_BYTES (8u << 20) /* a larger distance is not a frame, but a guess */
#define EDDY_PC_MIN		4096
#define EDDY_PC_MAX		(1ull << 56) /* user half, five-level page tables included */

/*
 * Records frame n and steps to its caller by frame pointer: [fp] is the caller's fp, [fp + 8] the
 * return address (x86-64 and AAPCS64 alike).  0 to go on; else the walk is over and walk.end set.
 * Global, and so verified on its own: it takes a number and finds the scratch itself.
 */
__noinline int walk_step_fp(__u32 n)
{
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	__u64 frame[2];
	__u32 at;

	if (!s)
		return 1;
	at = s->ev.nr_kernel + n;
	if (at >= EDDY_MAX_FRAMES || n >= config.max_user_frames) {
		s->walk.end = EDDY_END_DEPTH;
		return 1;
	}
	s->frames[at] = s->walk.pc;
	s->ev.nr_user = n + 1;
	if (!s->walk.fp) {
		s->walk.end = EDDY_END_ROOT;
		return 1;
	}
	if (s->walk.fp < s->walk.sp || s->walk.fp - s->walk.sp > EDDY_FP_MAX_FRAME_BYTES ||
	    s->walk.fp & 7) {
		s->walk.end = EDDY_END_FPFAIL;
		return 1;
	}
	if (bpf_probe_read_user(frame, sizeof(frame), (void *)s->walk.fp)) {
		s->walk.end = EDDY_END_FAULT;
		return 1;
	}
	if (frame[1] < EDDY_PC_MIN || frame[1] >= EDDY_PC_MAX) {
		s->walk.end = frame[1] ? EDDY_END_FPFAIL : EDDY_END_ZERORA;
		return 1;
	}
	s->walk.sp = s->walk.fp + sizeof(frame);
	s->walk.fp = frame[0];
	s->walk.pc = frame[1] - 1;
	s->walk.nr_fp++;
	return 0;
}

static __always_inline void walk_user_stack(struct eddy_scratch *s)
{
	__u32 n;

	for (n = 0; n <= EDDY_MAX_USER_FRAMES; n++)
		if (walk_step_fp(n))
			break;
}

#endif
