/* SPDX-License-Identifier: GPL-2.0 */
/* The stacks of the current task, and whose they are: what every sample begins with. */
#ifndef EDDY_TAKE_BPF_H
#define EDDY_TAKE_BPF_H

#include "maps.bpf.h"

#include "kernel_stack.bpf.h"
#include "pids.bpf.h"
#include "regs.bpf.h"
#include "task.bpf.h"
#include "unwind.bpf.h"
#include "variables.bpf.h"

#define PF_KTHREAD     0x00200000
#define PF_IO_WORKER   0x00000010 /* 5.12; before, such workers are kernel threads */
#define PF_USER_WORKER 0x00004000 /* 6.4 */

/*
 * The registers with which the task left user mode: they stand at the top of its kernel stack.
 * bpf_task_pt_regs() knows where since 5.15; before, the top is the end of the stack.
 */
static __always_inline bool read_entry_regs(struct eddy_scratch *s, const struct task_struct *task)
{
	const void *regs;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		regs = (void *)bpf_task_pt_regs((void *)bpf_get_current_task_btf());
	else
		regs = BPF_CORE_READ(task, stack) + stack_bytes(task) - EDDY_PT_REGS_BYTES;
	if (bpf_probe_read_kernel(&s->regs, sizeof(s->regs), regs))
		return false;
	return REGS_USER_MODE(&s->regs);
}

/*
 * Does the task work for a process in the kernel, with the process's memory (io_uring, vhost)?  It
 * never is in user mode, and its registers of user mode are made up: none on arm64, on x86-64 those
 * of who made it, without stack and program counter.  The bits meant other things on older kernels.
 */
static __always_inline bool is_worker(struct eddy_scratch *s, const struct task_struct *task,
				      const struct tick *t, __u32 flags)
{
	if (!(flags & (PF_IO_WORKER | PF_USER_WORKER)) || t->user_mode)
		return false;
	return !read_entry_regs(s, task) || (!REGS_PC(&s->regs) && !REGS_SP(&s->regs));
}

/* The user stack of a task with memory; s->regs is filled when the CPU was in user mode. */
static __always_inline void take_user_stack(struct eddy_scratch *s, const struct task_struct *task,
					    const struct tick *t)
{
	if (!t->user_mode && !read_entry_regs(s, task)) {
		/* It never was in user mode: being born, or a kernel helper. */
		s->ev.user_end = EDDY_END_EXIT;
		return;
	}
	REGS_TO_STATE(&s->walk.state, &s->regs);
	s->walk.state.ra_mask = config.ra_mask;
	eddy_unwind_begin(&s->walk.state, EDDY_ARCH_NATIVE);
	s->walk.pid = s->ev.pid;
	if (config.unwind == EDDY_UNWIND_FP && s->ev.flags & EDDY_SAMPLE_HIDDEN) {
		s->ev.user_end = EDDY_END_HIDDEN;
		return;
	}
	s->walk.mm = TASK_READ(task, mm);
	probes_begin(&s->walk, task);
	if (REGS_IS_COMPAT(&s->regs)) {
		s->frames[s->ev.nr_kernel & 127] = s->walk.state.pc;
		s->walk.nr_raw = 1;
		s->ev.nr_user = 1;
		s->ev.user_end = EDDY_END_COMPAT32;
		return;
	}
	walk_user_stack(s, task);
	s->ev.user_end = s->walk.end;
	/* execve has put the new memory in place of the old, whose registers these are. */
	if (!t->user_mode && s->ev.nr_user == 1 && s->walk.end == EDDY_END_NOMAP) {
		s->ev.user_end = EDDY_END_EXEC;
		s->ev.nr_user = 0;
	}
	if (s->walk.state.nr_fp_steps)
		s->ev.flags |= EDDY_SAMPLE_FP_STEPS;
	if (s->walk.by_code)
		s->ev.flags |= EDDY_SAMPLE_CODE_STEPS;
}

/* A PID is used again, but not within the same millisecond. */
static __always_inline __u32 started_ms(const struct task_struct *task)
{
	return task_started_ns(task) / 1000000;
}

static __always_inline void identify(struct eddy_stack_event *ev, __u64 pid_tgid,
				     const struct task_struct *task)
{
	ev->pid = pid_tgid >> 32;
	if (config.pid_space && !ev->pid && !(ev->flags & EDDY_SAMPLE_IDLE))
		ev->flags |= EDDY_SAMPLE_HIDDEN;
	ev->tid = config.identity & EDDY_IDENTITY_TID ? (__u32)pid_tgid : 0;
	ev->cpu = config.identity & EDDY_IDENTITY_CPU ? bpf_get_smp_processor_id() : 0;
	ev->cgroup = config.identity & EDDY_IDENTITY_CGROUP ? bpf_get_current_cgroup_id() : 0;
	if (config.identity & EDDY_IDENTITY_PROGRAM)
		program_read(ev->program, TASK_READ(task, group_leader));
}

/* What a task is, as far as its stacks go. */
struct subject {
	bool is_kthread;
	bool is_worker; /* has memory, but never is in user mode */
	bool has_user;
};

static __always_inline void subject_find(struct eddy_scratch *s, const struct task_struct *task,
					 const struct tick *t, struct subject *ret)
{
	__u32 flags = TASK_READ(task, flags);

	ret->is_kthread = flags & PF_KTHREAD;
	ret->is_worker = !ret->is_kthread && is_worker(s, task, t, flags);
	ret->has_user = !ret->is_kthread && !ret->is_worker && TASK_READ(task, mm);
}

/* Fills s->ev but for its hash; flags, comm and turn are set. */
static __always_inline void stacks_take(struct eddy_scratch *s, struct eddy_counters *c, void *ctx,
					const struct tick *t, const struct task_struct *task,
					const struct subject *who, __u64 pid_tgid)
{
	identify(&s->ev, pid_tgid, task);
	s->ev.module_seq = text.module_seq;
	s->ev.nr_kernel = 0;
	s->ev.nr_user = 0;
	s->ev.user_end = who->is_kthread  ? EDDY_END_KTHREAD
			 : who->is_worker ? EDDY_END_WORKER
					  : EDDY_END_EXIT; /* no mm: exiting */
	s->walk.nr_raw = 0;
	if (!t->user_mode && !(config.filter & EDDY_FILTER_USER))
		kernel_stack_take(s, c, ctx, t, task);
	if (who->is_kthread)
		s->ev.flags |= EDDY_SAMPLE_KTHREAD;
	if (who->has_user && !(config.filter & EDDY_FILTER_KERNEL))
		take_user_stack(s, task, t);
	/* Frames in files need no process: identical stacks of processes are one. */
	if (!(config.identity & EDDY_IDENTITY_PID) && !s->walk.nr_raw)
		s->ev.pid = 0;
	s->ev.started_ms = s->ev.pid ? started_ms(task) : 0;
	s->ev.exec_id = s->ev.pid ? TASK_READ(task, self_exec_id) : 0;
}

#endif
