/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One step of the unwinder: registers of a frame + rule -> registers of its caller.
 *
 * Pure, and compiled twice: into BPF and into user space.  The includer defines EDDY_UNWIND_READ
 * first (unwind_registers.h) and calls, for every sample:
 *
 *	eddy_unwind_begin(s, arch)		after filling s->gpr (arm64: pc, sp, fp, lr)
 *	for each frame, innermost first:
 *		pc = eddy_unwind_lookup_pc(s, arch)	record it, and look it up
 *		in a table that has a rule there (unwind_search.h):
 *			end = eddy_unwind_step(s, rule, arch)
 *		in a table that has none:
 *			end = eddy_unwind_fp_step(s, EDDY_END_NOINFO, arch)
 *		no table:
 *			end = eddy_unwind_fp_step(s, EDDY_END_JIT or _NOTABLE, arch)
 *		EDDY_END_NONE: go on
 *
 * `arch` is a constant at every call in BPF, so that the other machine's code vanishes.
 */
#ifndef EDDY_UNWIND_STEP_H
#define EDDY_UNWIND_STEP_H

#include "unwind_registers.h"
#include "unwind_signal.h"

#define EDDY_UNWIND_FP_REACH (8ull << 20) /* a frame pointer may be this far above sp */

/*
 * Steps by the chain of frame pointers, where no table says anything.  Taken only when it looks
 * like a chain, and the address in it is behind a call: such code may use the register for
 * something else.  `why` is the end when the
 * first such step of a stack is refused (EDDY_END_NOTABLE, _NOINFO or _JIT); later it is FPFAIL.
 * A frame pointer of 0 after an earlier step, in a file, ends the chain by the ABI (x86-64 3.4.1,
 * AAPCS64 6.4.6); a JIT is not believed that.
 */
EDDY_UNWIND_INLINE int eddy_unwind_fp_step(struct eddy_unwind_state *s, int why, int arch)
{
	int refused = s->nr_fp_steps ? EDDY_END_FPFAIL : why, end;
	__u64 record[2] = { 0, 0 }, fp, ra;

	end = eddy_unwind_need_fp(s);
	if (end)
		return end == EDDY_END_FAULT ? end : refused;
	fp = s->fp;
	if (!fp && s->nr_fp_steps && why != EDDY_END_JIT)
		return EDDY_END_ROOT;
	if (fp < s->sp || fp - s->sp > EDDY_UNWIND_FP_REACH || fp & 7)
		return refused;
	if (EDDY_UNWIND_READ(s, record, sizeof(record), fp) < 0) {
		s->fault_addr = fp;
		return EDDY_END_FAULT;
	}
	ra = eddy_unwind_strip(s, record[1], arch);
	if (!eddy_unwind_is_user(ra) || !EDDY_UNWIND_IS_CALLED(s, ra, arch))
		return refused;
	s->pc = ra;
	s->sp = fp + 16;
	s->fp = record[0];
	s->flags = EDDY_UNWIND_BX_LOST | EDDY_UNWIND_FP_LAST;
	if (arch == EDDY_ARCH_ARM64)
		s->flags |= EDDY_UNWIND_SP_LOST; /* records stand at the low end of frames */
	s->nr_fp_steps++;
	return EDDY_END_NONE;
}

/* sp + off; after a frame-pointer step of arm64 by the frame record instead, sp is not known. */
EDDY_UNWIND_INLINE int eddy_unwind_cfa_sp(struct eddy_unwind_state *s,
					  const struct eddy_unwind_rule *rule, int arch,
					  __u64 *ret_cfa)
{
	int end;

	if (arch == EDDY_ARCH_X86_64 || !(s->flags & EDDY_UNWIND_SP_LOST)) {
		*ret_cfa = s->sp + (__u64)(__s64)rule->off;
		return EDDY_END_NONE;
	}
	if (rule->fp != EDDY_FP_CFA)
		return EDDY_END_UNSUP;
	end = eddy_unwind_need_fp(s);
	if (end)
		return end;
	*ret_cfa = s->fp - (__u64)((__s64)rule->fp_off8 * 8);
	return EDDY_END_NONE;
}

EDDY_UNWIND_INLINE int eddy_unwind_cfa(struct eddy_unwind_state *s,
				       const struct eddy_unwind_rule *rule, int arch,
				       __u64 *ret_cfa)
{
	__u64 base = 0, off = (__u64)(__s64)rule->off, aux = (__u64)(__s64)rule->aux;
	__u32 kind = rule->cfa;
	int end = EDDY_END_NONE;

	if (kind == EDDY_CFA_SP)
		return eddy_unwind_cfa_sp(s, rule, arch, ret_cfa);
	if (kind == EDDY_CFA_FP || kind == EDDY_CFA_DEREF_FP || kind == EDDY_CFA_SWITCH) {
		end = eddy_unwind_need_fp(s);
		if (end)
			return end;
	}
	if (kind == EDDY_CFA_FP || kind == EDDY_CFA_SWITCH) {
		base = s->fp;
	} else if (kind == EDDY_CFA_PLT) {
		base = s->sp + ((s->pc & 15) >= aux ? 8 : 0);
	} else if (kind == EDDY_CFA_DEREF_SP || kind == EDDY_CFA_DEREF_FP) {
		off += kind == EDDY_CFA_DEREF_SP ? s->sp : s->fp;
		end = eddy_unwind_read64(s, off, &base);
		off = aux;
	} else if (kind >= EDDY_CFA_REG && arch == EDDY_ARCH_X86_64) {
		end = eddy_unwind_need_gpr(s, kind - EDDY_CFA_REG,
					   rule->ra == EDDY_RA_CODE && rule->aux, &base);
	} else {
		end = EDDY_END_UNSUP;
	}
	*ret_cfa = base + off;
	return end;
}

EDDY_UNWIND_INLINE int eddy_unwind_ra(struct eddy_unwind_state *s,
				      const struct eddy_unwind_rule *rule, __u64 cfa, int arch,
				      __u64 *ret_ra)
{
	__u32 kind = rule->ra;

	if (kind == EDDY_RA_CFA || kind == EDDY_RA_CODE)
		return eddy_unwind_read64(s, cfa - 8, ret_ra);
	if (kind == EDDY_RA_OFF)
		return eddy_unwind_read64(s, cfa + (__u64)((__s64)rule->aux * 8), ret_ra);
	if (kind == EDDY_RA_REG && arch == EDDY_ARCH_X86_64)
		return eddy_unwind_need_gpr(s, (__u32)(__u16)rule->aux, 0, ret_ra);
	if (kind != EDDY_RA_LR || !(s->flags & EDDY_UNWIND_GPRS))
		return EDDY_END_UNSUP;
	*ret_ra = s->lr;
	return EDDY_END_NONE;
}

/*
 * The last instructions of __builtin_eh_return have the target in rcx: a landing pad, exact.
 * Assembly that keeps its stack pointer there was called.
 */
EDDY_UNWIND_INLINE int eddy_unwind_is_eh_return(const struct eddy_unwind_rule *rule, int arch)
{
	return arch == EDDY_ARCH_X86_64 &&
	       ((rule->cfa == EDDY_CFA_REG + EDDY_GPR_CX && rule->ra != EDDY_RA_CODE) ||
		(rule->ra == EDDY_RA_REG && rule->aux == EDDY_GPR_CX));
}

/* Where the caller's fp and rbx are, from here on. */
EDDY_UNWIND_INLINE void eddy_unwind_saved(struct eddy_unwind_state *s,
					  const struct eddy_unwind_rule *rule, __u64 cfa)
{
	__u64 fp_off = (__u64)((__s64)rule->fp_off8 * 8);

	if (rule->fp != EDDY_FP_SAME) {
		s->fp_at = (rule->fp == EDDY_FP_DEREF ? s->fp : cfa) + fp_off;
		s->flags &= ~EDDY_UNWIND_FP_LOST;
	}
	if (rule->fp == EDDY_FP_LOST)
		s->flags |= EDDY_UNWIND_FP_LOST;
	if (rule->bx != EDDY_BX_SAME) {
		s->bx_at = cfa - ((__u64)rule->bx << 3);
		s->flags &= ~EDDY_UNWIND_BX_LOST;
	}
	if (rule->bx == EDDY_BX_LOST)
		s->flags |= EDDY_UNWIND_BX_LOST;
}

/*
 * Steps to the caller.  EDDY_END_NONE: s is the caller's; else the end, and s is still the
 * frame's (registers that were read stay read).
 */
EDDY_UNWIND_INLINE int eddy_unwind_step(struct eddy_unwind_state *s,
					const struct eddy_unwind_rule *rule, int arch)
{
	__u64 cfa = 0, ra = 0;
	__u32 kind = rule->cfa, in_register;
	int end;

	if (kind == EDDY_CFA_NONE)
		return eddy_unwind_fp_step(s, EDDY_END_NOINFO, arch);
	if (kind == EDDY_CFA_STOP)
		return EDDY_END_ROOT;
	if (kind == EDDY_CFA_SIGNAL)
		return eddy_unwind_signal_step(s, arch);
	end = eddy_unwind_cfa(s, rule, arch, &cfa);
	if (end)
		return end;
	/* A frame whose return address is in a register may be empty; only one can be, below. */
	in_register = rule->ra == EDDY_RA_REG || rule->ra == EDDY_RA_LR;
	if ((cfa < s->sp + !in_register && kind != EDDY_CFA_SWITCH) || cfa & 7)
		return EDDY_END_BADSP;
	end = eddy_unwind_ra(s, rule, cfa, arch, &ra);
	if (!end && rule->fp == EDDY_FP_DEREF)
		end = eddy_unwind_need_fp(s);
	if (end)
		return end;
	ra = eddy_unwind_strip(s, ra, arch);
	/* arm64: execve clears the link register, and _start has not been called. */
	if (arch == EDDY_ARCH_ARM64 && !ra && rule->ra == EDDY_RA_LR)
		return EDDY_END_ROOT;
	if (ra < EDDY_UNWIND_MIN_PC)
		return EDDY_END_ZERORA;

	eddy_unwind_saved(s, rule, cfa);
	s->flags &= EDDY_UNWIND_FP_LOST | EDDY_UNWIND_BX_LOST;
	if (eddy_unwind_is_eh_return(rule, arch))
		s->flags |= EDDY_UNWIND_EXACT;
	s->pc = ra;
	s->sp = cfa;
	return EDDY_END_NONE;
}

#endif
