/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of the current task.  Where the kernel gives it out as a typed pointer they are plain
 * loads.  bpf_get_current_task_btf() came in 5.11, bpf_task_pt_regs() in 5.15; both are used from
 * 5.15 on.  Before, each field costs a call of 27 ns.
 */
#ifndef EDDY_TASK_BPF_H
#define EDDY_TASK_BPF_H

#include "variables.bpf.h"
#include <bpf/bpf_core_read.h>

/* Decided when the program is loaded: the verifier never sees the other way. */
#define HAS_TYPED_TASK bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)

static __always_inline struct task_struct *current_task(void)
{
	if (HAS_TYPED_TASK)
		return (void *)bpf_get_current_task_btf();
	return (void *)bpf_get_current_task();
}

/* task: from current_task(), in the same program and never through memory. */
#define TASK_READ(task, field) (HAS_TYPED_TASK ? (task)->field : BPF_CORE_READ(task, field))

static __always_inline __u64 task_started_ns(const struct task_struct *task)
{
	return HAS_TYPED_TASK ? task->group_leader->start_boottime
			      : BPF_CORE_READ(task, group_leader, start_boottime);
}

/* The comm of a process's leader, padded with zeros: it is hashed. */
static __always_inline void program_read(char *to, const struct task_struct *leader)
{
	__builtin_memset(to, 0, EDDY_COMM_BYTES);
	bpf_probe_read_kernel_str(to, EDDY_COMM_BYTES, &leader->comm);
}

/* THREAD_SIZE: pages of a task's stack area, where it has one (CONFIG_VMAP_STACK). */
static __always_inline __u64 stack_bytes(const struct task_struct *task)
{
	if (!thread_bytes && bpf_core_field_exists(task->stack_vm_area)) {
		__u32 nr_pages = BPF_CORE_READ(task, stack_vm_area, nr_pages);

		if (nr_pages)
			thread_bytes = nr_pages * config.page_bytes;
	}
	return thread_bytes ?: config.thread_bytes;
}

/* Is the CPU on another stack (interrupt, exception) than its task's?  Only asked in kernel mode.
 */
static __always_inline bool is_off_stack(const struct task_struct *task, __u64 sp)
{
	__u64 stack = (__u64)TASK_READ(task, stack);

	return sp < stack || sp >= stack + stack_bytes(task);
}

#endif
