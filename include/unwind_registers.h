/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of a frame, read from the stack when a rule asks for them.
 *
 * Memory is read by bpf_probe_read_user() in BPF; in user space it is a copy of a stack (late
 * samples, unit tests).  The includer defines first
 *
 *	EDDY_UNWIND_READ(s, dst, size, addr)	0, or negative when the memory is not there
 *	EDDY_UNWIND_IS_CALLED(s, ra, arch)	whether a call stands before an address of code
 *						(unwind_call.h); true where it need not
 *
 * (s: struct eddy_unwind_state *, addr: __u64).
 */
#ifndef EDDY_UNWIND_REGISTERS_H
#define EDDY_UNWIND_REGISTERS_H

#include "unwind_state.h"

#ifndef EDDY_UNWIND_READ
#error "define EDDY_UNWIND_READ(s, dst, size, addr) before including this"
#endif
#ifndef EDDY_UNWIND_IS_CALLED
#error "define EDDY_UNWIND_IS_CALLED(s, ra, arch) before including this"
#endif

/* Reads 8 bytes of the stack; on failure the address is kept for the report. */
EDDY_UNWIND_INLINE int eddy_unwind_read64(struct eddy_unwind_state *s, __u64 addr, __u64 *ret_value)
{
	if (EDDY_UNWIND_READ(s, ret_value, 8, addr) < 0) {
		s->fault_addr = addr;
		return EDDY_END_FAULT;
	}
	return EDDY_END_NONE;
}

/* Makes s->fp this frame's frame pointer. */
EDDY_UNWIND_INLINE int eddy_unwind_need_fp(struct eddy_unwind_state *s)
{
	__u64 value = 0;
	int end;

	if (s->flags & EDDY_UNWIND_FP_LOST)
		return EDDY_END_UNSUP;
	if (!s->fp_at)
		return EDDY_END_NONE;
	end = eddy_unwind_read64(s, s->fp_at, &value);
	if (end)
		return end;
	s->fp = value;
	s->fp_at = 0;
	return EDDY_END_NONE;
}

/*
 * A register other than sp and fp.  Only the innermost frame's are known, except rbx: it is kept
 * over calls, and _dl_runtime_resolve has its CFA in it.  `kept`: what the frame called has left it
 * as it is.
 */
EDDY_UNWIND_INLINE int eddy_unwind_need_gpr(struct eddy_unwind_state *s, __u32 nr, int kept,
					    __u64 *ret_value)
{
	if (nr == EDDY_GPR_BX) {
		if (s->flags & EDDY_UNWIND_BX_LOST)
			return EDDY_END_UNSUP;
		if (s->bx_at)
			return eddy_unwind_read64(s, s->bx_at, ret_value);
	} else if (!(s->flags & EDDY_UNWIND_GPRS) && !kept) {
		return EDDY_END_UNSUP;
	}
	if (nr >= EDDY_NR_GPRS)
		return EDDY_END_UNSUP;
	*ret_value = s->gpr[nr];
	return EDDY_END_NONE;
}

#endif
