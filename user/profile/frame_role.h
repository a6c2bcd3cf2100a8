/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What part a kernel function plays where interrupts meet tasks.  The live path sets a frame's
 * role from the addresses of these functions (symbol/kallsyms resolves every alias once); files
 * from elsewhere get it from the name, compiler suffixes taken off.  One table serves both.
 */
#ifndef EDDY_PROFILE_FRAME_ROLE_H
#define EDDY_PROFILE_FRAME_ROLE_H

#include <stddef.h>

enum frame_role {
	FRAME_ROLE_NONE,      /* nothing of the below */
	FRAME_ROLE_IRQ_ENTRY, /* asm_sysvec_*, asm_common_interrupt, el1h_64_irq, ... */
	FRAME_ROLE_IRQ_PATH,  /* between entry and handler: handle_irq_event, call_on_irq_stack */
	FRAME_ROLE_NMI_ENTRY, /* asm_exc_nmi, end_repeat_nmi, ... */
	FRAME_ROLE_EXCEPTION, /* asm_exc_page_fault, el0_da, ...: never cut */
	FRAME_ROLE_IRQ_EXIT,  /* irq_exit_rcu, __irq_exit_rcu, irq_exit: on the way to softirqs */
	FRAME_ROLE_SOFTIRQ_CORE, /* handle_softirqs, __do_softirq, __softirqentry_text_start */
	FRAME_ROLE_SOFTIRQ_PATH, /* do_softirq, do_softirq_own_stack, invoke_softirq, ... */
	FRAME_ROLE_BH_ENABLE,	 /* __local_bh_enable_ip: inline softirq begins below it */
	FRAME_ROLE_KSOFTIRQD,	 /* run_ksoftirqd */
	FRAME_ROLE_EXIT_WORK,	 /* irqentry_exit_to_user_mode, preempt_schedule_irq, ... */
	FRAME_ROLE_TRAMPOLINE,	 /* entry code that is the task's own: entry_SYSCALL_64, el0_svc */
	NR_FRAME_ROLES
};

/*
 * The role of a kernel function of that name, len bytes; ".isra.0"-like suffixes are ignored.
 * Where several symbols share an address, take the first alias whose role is not NONE.
 */
enum frame_role frame_role_of_name(const char *name, size_t len);

#endif
