/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a walk up a user stack is: the registers of one frame, as far as they are known.
 *
 * Saved registers are not read when they are passed but when a rule asks for them: the state keeps
 * the address where rbp and rbx were saved (unwind_registers.h).  Most frames therefore cost one
 * read of 8 bytes, and the rbx that _dl_runtime_resolve needs costs nothing elsewhere.
 */
#ifndef EDDY_UNWIND_STATE_H
#define EDDY_UNWIND_STATE_H

#include "unwind_abi.h"
#include "unwind_arch.h"
#include "unwind_compiler.h"

enum eddy_unwind_flag {
	EDDY_UNWIND_EXACT = 1 << 0,   /* pc is the instruction itself, not a return address */
	EDDY_UNWIND_GPRS = 1 << 1,    /* gpr[] and lr are those of this frame */
	EDDY_UNWIND_FP_LOST = 1 << 2, /* the frame pointer of this frame is not known */
	EDDY_UNWIND_BX_LOST = 1 << 3, /* rbx of this frame is not known */
	EDDY_UNWIND_SP_LOST =
		1 << 4, /* sp is only a lower bound: arm64 after a frame-pointer step */
	EDDY_UNWIND_FP_LAST = 1 << 5, /* this frame was found by a frame-pointer step */
};

struct eddy_unwind_state {
	__u64 pc;
	__u64 sp;
	__u64 fp;	  /* rbp, x29; valid when fp_at is 0 */
	__u64 fp_at;	  /* where this frame's fp was saved, 0: it is in `fp` */
	__u64 bx_at;	  /* where this frame's rbx was saved, 0: it is in gpr[EDDY_GPR_BX] */
	__u64 lr;	  /* arm64, with EDDY_UNWIND_GPRS */
	__u64 ra_mask;	  /* arm64: address bits without pointer authentication; 0: 48 bits */
	__u64 fault_addr; /* what could not be read, with EDDY_END_FAULT */
	__u32 flags;	  /* enum eddy_unwind_flag */
	__u32 nr_fp_steps;
	__u64 gpr[EDDY_NR_GPRS]; /* x86-64; all of them are valid with EDDY_UNWIND_GPRS */
};

#define EDDY_UNWIND_MIN_PC 4096

/* Starts at an interrupted instruction.  x86-64: gpr[] filled; arm64: pc, sp, fp, lr filled. */
EDDY_UNWIND_INLINE void eddy_unwind_begin(struct eddy_unwind_state *s, int arch)
{
	if (arch == EDDY_ARCH_X86_64) {
		s->pc = s->gpr[EDDY_GPR_IP];
		s->sp = s->gpr[EDDY_GPR_SP];
		s->fp = s->gpr[EDDY_GPR_BP];
	} else if (!s->ra_mask) {
		s->ra_mask = (1ull << 48) - 1;
	}
	s->fp_at = 0;
	s->bx_at = 0;
	s->fault_addr = 0;
	s->nr_fp_steps = 0;
	s->flags = EDDY_UNWIND_EXACT | EDDY_UNWIND_GPRS;
}

/*
 * The address to look up and to record: inside the call, because a return address may be the
 * first byte of the next function.
 */
EDDY_UNWIND_INLINE __u64 eddy_unwind_lookup_pc(const struct eddy_unwind_state *s, int arch)
{
	__u64 back = arch == EDDY_ARCH_X86_64 ? 1 : 4;

	return s->flags & EDDY_UNWIND_EXACT ? s->pc : s->pc - back;
}

/* A link register without its signature (pointer authentication); x86-64: unchanged. */
EDDY_UNWIND_INLINE __u64 eddy_unwind_strip(const struct eddy_unwind_state *s, __u64 ra, int arch)
{
	return arch == EDDY_ARCH_ARM64 ? ra & s->ra_mask : ra;
}

/* Whether an address can be one of user space: not the zero page, not a kernel half. */
EDDY_UNWIND_INLINE int eddy_unwind_is_user(__u64 addr)
{
	return addr >= EDDY_UNWIND_MIN_PC && addr < 1ull << 56;
}

#endif
