/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One step of the unwinder: registers of a frame + rule -> registers of its caller.
 *
 * Pure, and compiled twice: into BPF, where memory is read by bpf_probe_read_user(), and into user
 * space, where it is a copy of a stack (late samples, unit tests).  The includer defines first
 *
 *	EDDY_UNWIND_READ(s, dst, size, addr)	0, or negative when the memory is not there
 *
 * (s: struct eddy_unwind_state *, addr: __u64) and calls, for every sample:
 *
 *	eddy_unwind_begin(s, arch)		after filling s->gpr (arm64: pc, sp, fp, lr)
 *	for each frame, innermost first:
 *		pc = eddy_unwind_lookup_pc(s, arch)	record it, and look it up
 *		in a table: page = eddy_unwind_page_index(file, elf_addr)
 *			negative:  end = eddy_unwind_fp_step(s, EDDY_END_NOINFO, arch)
 *			else:  rule = rules->rule[eddy_unwind_search(slab, page, elf_addr)]
 *			       end = eddy_unwind_step(s, rule, arch)
 *		no table:  end = eddy_unwind_fp_step(s, EDDY_END_JIT or _NOTABLE, arch)
 *		EDDY_END_NONE: go on
 *
 * Saved registers are not read when they are passed but when a rule asks for them: the state keeps
 * the address where rbp and rbx were saved.  Most frames therefore cost one read of 8 bytes, and
 * the rbx that _dl_runtime_resolve needs costs nothing elsewhere.
 *
 * `arch` is a constant at every call in BPF, so that the other machine's code vanishes.
 */
#ifndef EDDY_UNWIND_STEP_H
#define EDDY_UNWIND_STEP_H

#include "unwind_abi.h"

#ifndef EDDY_UNWIND_READ
#error "define EDDY_UNWIND_READ(s, dst, size, addr) before including unwind_step.h"
#endif

#define EDDY_UNWIND_INLINE static inline __attribute__((always_inline, unused))

/* Keeps the compiler from turning mask arithmetic back into branches, which the verifier forks. */
#define EDDY_UNWIND_OPAQUE(var) __asm__ volatile("" : "+r"(var))

enum eddy_unwind_arch {
	EDDY_ARCH_X86_64 = 0,
	EDDY_ARCH_ARM64 = 1,
};

#if defined(__TARGET_ARCH_arm64) || (!defined(__TARGET_ARCH_x86) && defined(__aarch64__))
#define EDDY_ARCH_NATIVE EDDY_ARCH_ARM64
#else
#define EDDY_ARCH_NATIVE EDDY_ARCH_X86_64
#endif

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

#define EDDY_UNWIND_FP_REACH (8ull << 20) /* a frame pointer may be this far above sp */
#define EDDY_UNWIND_MIN_PC   4096

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

/* Index into eddy_unwind_pages, or -1: the table has nothing there. */
EDDY_UNWIND_INLINE __s64 eddy_unwind_page_index(const struct eddy_unwind_file *file, __u64 elf_addr)
{
	__u64 page = (elf_addr >> EDDY_UNWIND_PAGE_SHIFT) - file->page_base;

	if (page >= file->nr_pages)
		return -1;
	return (__s64)((file->first_page + page) & (EDDY_UNWIND_MAX_PAGES - 1));
}

/*
 * The rule number for the low 16 bits of elf_addr: the last row of the page not above them.
 * Always 16 probes without a branch that depends on data: a binary search with branches makes the
 * verifier of >= 6.8 walk every path of it, and is 3-8 times slower besides.
 */
EDDY_UNWIND_INLINE __u32 eddy_unwind_search(const struct eddy_unwind_slab *slab,
					    const struct eddy_unwind_page *page, __u64 elf_addr)
{
	__u64 key = (elf_addr & 0xffff) << 16 | 0xffff;
	__u64 pos = page->first, n = (__u64)page->nm1 + 1, half, above;
	int i;

	for (i = 0; i < 16; i++) {
		half = n >> 1;
		above = key - slab->row[(pos + half) & (EDDY_UNWIND_SLAB_ROWS - 1)];
		above = (__u64)((__s64)above >> 63); /* all ones when the row is behind the key */
		EDDY_UNWIND_OPAQUE(above);
		pos += half & ~above;
		n -= half;
	}
	return slab->row[pos & (EDDY_UNWIND_SLAB_ROWS - 1)] & 0xffff;
}

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
 * over calls, and _dl_runtime_resolve has its CFA in it.
 */
EDDY_UNWIND_INLINE int eddy_unwind_need_gpr(struct eddy_unwind_state *s, __u32 nr, __u64 *ret_value)
{
	if (nr == EDDY_GPR_BX) {
		if (s->flags & EDDY_UNWIND_BX_LOST)
			return EDDY_END_UNSUP;
		if (s->bx_at)
			return eddy_unwind_read64(s, s->bx_at, ret_value);
	} else if (!(s->flags & EDDY_UNWIND_GPRS)) {
		return EDDY_END_UNSUP;
	}
	if (nr >= EDDY_NR_GPRS)
		return EDDY_END_UNSUP;
	*ret_value = s->gpr[nr];
	return EDDY_END_NONE;
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

/*
 * Steps by the chain of frame pointers, where no table says anything.  Taken only when it looks
 * like a chain: such code may use the register for something else.  `why` is the end when the
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
	if (!eddy_unwind_is_user(ra))
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
		end = eddy_unwind_need_gpr(s, kind - EDDY_CFA_REG, &base);
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

	if (kind == EDDY_RA_CFA)
		return eddy_unwind_read64(s, cfa - 8, ret_ra);
	if (kind == EDDY_RA_OFF)
		return eddy_unwind_read64(s, cfa + (__u64)((__s64)rule->aux * 8), ret_ra);
	if (kind == EDDY_RA_REG && arch == EDDY_ARCH_X86_64)
		return eddy_unwind_need_gpr(s, (__u32)(__u16)rule->aux, ret_ra);
	if (kind != EDDY_RA_LR || !(s->flags & EDDY_UNWIND_GPRS))
		return EDDY_END_UNSUP;
	*ret_ra = s->lr;
	return EDDY_END_NONE;
}

/* The last instructions of __builtin_eh_return have the target in rcx: a landing pad, exact. */
EDDY_UNWIND_INLINE int eddy_unwind_is_eh_return(const struct eddy_unwind_rule *rule, int arch)
{
	return arch == EDDY_ARCH_X86_64 && (rule->cfa == EDDY_CFA_REG + EDDY_GPR_CX ||
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
