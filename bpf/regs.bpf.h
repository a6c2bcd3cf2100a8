/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers of both machines, as the sampler needs them.  Macros, so that they also take the
 * context of a perf event: that may only be read field by field, at constant offsets.
 */
#ifndef EDDY_REGS_BPF_H
#define EDDY_REGS_BPF_H

#include "variables.bpf.h"
#include <bpf/bpf_core_read.h>

#if defined(__TARGET_ARCH_x86)
#define EDDY_PT_REGS_BYTES sizeof(struct pt_regs)
#define USER_CS_COMPAT	   0x23
#define REGS_PC(r)	   ((r)->rip)
#define REGS_SP(r)	   ((r)->rsp)
#define REGS_FP(r)	   ((r)->rbp)
#define REGS_USER_MODE(r)  (((r)->cs & 3) == 3)
#define REGS_IS_COMPAT(r)  (((r)->cs & 0xffff) == USER_CS_COMPAT)
/* Bit 1 is always set in a CPU; perf_fetch_caller_regs() leaves all of them zero, and rbp stale. */
#define REGS_OF_CPU(r) ((r)->eflags & 2)

#define REGS_COPY(to, r)              \
	do {                          \
		(to)->r8 = (r)->r8;   \
		(to)->r9 = (r)->r9;   \
		(to)->r10 = (r)->r10; \
		(to)->r11 = (r)->r11; \
		(to)->r12 = (r)->r12; \
		(to)->r13 = (r)->r13; \
		(to)->r14 = (r)->r14; \
		(to)->r15 = (r)->r15; \
		(to)->rdi = (r)->rdi; \
		(to)->rsi = (r)->rsi; \
		(to)->rbp = (r)->rbp; \
		(to)->rbx = (r)->rbx; \
		(to)->rdx = (r)->rdx; \
		(to)->rax = (r)->rax; \
		(to)->rcx = (r)->rcx; \
		(to)->rsp = (r)->rsp; \
		(to)->rip = (r)->rip; \
		(to)->cs = (r)->cs;   \
	} while (0)
#define REGS_TO_STATE(st, r)                        \
	do {                                        \
		(st)->gpr[EDDY_GPR_R8] = (r)->r8;   \
		(st)->gpr[EDDY_GPR_R9] = (r)->r9;   \
		(st)->gpr[EDDY_GPR_R10] = (r)->r10; \
		(st)->gpr[EDDY_GPR_R11] = (r)->r11; \
		(st)->gpr[EDDY_GPR_R12] = (r)->r12; \
		(st)->gpr[EDDY_GPR_R13] = (r)->r13; \
		(st)->gpr[EDDY_GPR_R14] = (r)->r14; \
		(st)->gpr[EDDY_GPR_R15] = (r)->r15; \
		(st)->gpr[EDDY_GPR_DI] = (r)->rdi;  \
		(st)->gpr[EDDY_GPR_SI] = (r)->rsi;  \
		(st)->gpr[EDDY_GPR_BP] = (r)->rbp;  \
		(st)->gpr[EDDY_GPR_BX] = (r)->rbx;  \
		(st)->gpr[EDDY_GPR_DX] = (r)->rdx;  \
		(st)->gpr[EDDY_GPR_AX] = (r)->rax;  \
		(st)->gpr[EDDY_GPR_CX] = (r)->rcx;  \
		(st)->gpr[EDDY_GPR_SP] = (r)->rsp;  \
		(st)->gpr[EDDY_GPR_IP] = (r)->rip;  \
	} while (0)
/* The program counter stands in the registers too, from which user space begins. */
#define REGS_SET_STATE_PC(st) ((st)->gpr[EDDY_GPR_IP] = (st)->pc)
#elif defined(__TARGET_ARCH_arm64)
#define EDDY_PT_REGS_BYTES    bpf_core_type_size(struct pt_regs) /* larger than user_pt_regs */
#define REGS_PC(r)	      ((r)->pc)
#define REGS_SP(r)	      ((r)->sp)
#define REGS_FP(r)	      ((r)->regs[29])
#define REGS_USER_MODE(r)     (((r)->pstate & 0xf) == 0)
#define REGS_IS_COMPAT(r)     ((r)->pstate & 0x10)
#define REGS_OF_CPU(r)	      (!config.has_caller_regs)
#define REGS_SET_STATE_PC(st) ((void)(st))
#define REGS_TO_STATE(st, r)              \
	do {                              \
		(st)->pc = (r)->pc;       \
		(st)->sp = (r)->sp;       \
		(st)->fp = (r)->regs[29]; \
		(st)->lr = (r)->regs[30]; \
	} while (0)
#define REGS_COPY(to, r)                        \
	do {                                    \
		(to)->pc = (r)->pc;             \
		(to)->sp = (r)->sp;             \
		(to)->regs[29] = (r)->regs[29]; \
		(to)->regs[30] = (r)->regs[30]; \
		(to)->pstate = (r)->pstate;     \
	} while (0)
#endif

#endif
