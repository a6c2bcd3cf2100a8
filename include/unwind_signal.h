/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a signal handler to the code that the signal interrupted, whose registers the kernel has put
 * on the stack.  Needs EDDY_UNWIND_READ: unwind_registers.h.
 */
#ifndef EDDY_UNWIND_SIGNAL_H
#define EDDY_UNWIND_SIGNAL_H

#include "unwind_registers.h"

/*
 * Signal frame of x86-64: ucontext at sp, its general registers in the order of enum eddy_gpr.
 *	+0 uc_flags, +8 uc_link, +16 uc_stack (24), +40 r8 ... +120 rbp ... +160 rsp, +168 rip
 */
EDDY_UNWIND_INLINE int eddy_unwind_signal_x86_64(struct eddy_unwind_state *s)
{
	__u64 at = s->sp + 40;

	if (EDDY_UNWIND_READ(s, s->gpr, sizeof(s->gpr), at) < 0) {
		s->fault_addr = at;
		return EDDY_END_FAULT;
	}
	s->pc = s->gpr[EDDY_GPR_IP];
	s->sp = s->gpr[EDDY_GPR_SP];
	s->fp = s->gpr[EDDY_GPR_BP];
	return EDDY_END_NONE;
}

/*
 * Signal frame of arm64 at sp: siginfo (128), ucontext: uc_flags, uc_link, uc_stack (24),
 * uc_sigmask (128), padding (8), fault_address (8), then x0 at +312 ... x29 at +544, x30, sp, pc.
 */
EDDY_UNWIND_INLINE int eddy_unwind_signal_arm64(struct eddy_unwind_state *s)
{
	__u64 reg[4] = { 0, 0, 0, 0 }, at = s->sp + 544;

	if (EDDY_UNWIND_READ(s, reg, sizeof(reg), at) < 0) {
		s->fault_addr = at;
		return EDDY_END_FAULT;
	}
	s->fp = reg[0];
	s->lr = reg[1];
	s->sp = reg[2];
	s->pc = reg[3];
	return EDDY_END_NONE;
}

/* The interrupted frame: exact, all registers known, and possibly on another stack. */
EDDY_UNWIND_INLINE int eddy_unwind_signal_step(struct eddy_unwind_state *s, int arch)
{
	int end = arch == EDDY_ARCH_X86_64 ? eddy_unwind_signal_x86_64(s)
					   : eddy_unwind_signal_arm64(s);

	if (end)
		return end;
	s->fp_at = 0;
	s->bx_at = 0;
	s->flags = EDDY_UNWIND_EXACT | EDDY_UNWIND_GPRS;
	return s->pc < EDDY_UNWIND_MIN_PC ? EDDY_END_ZERORA : EDDY_END_NONE;
}

#endif
