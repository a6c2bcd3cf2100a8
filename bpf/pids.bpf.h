/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PIDs as user space knows them: those of the namespace whose /proc it reads (config.pid_space).  A
 * process has a number in its own namespace and in all that this one is in; in others it has none.
 * In the machine's first namespace nothing of this is left in the program.
 */
#ifndef EDDY_PIDS_BPF_H
#define EDDY_PIDS_BPF_H

#include "task.bpf.h"
#include "variables.bpf.h"

#define MAX_PID_LEVELS 33 /* MAX_PID_NS_LEVEL and the first */

static __always_inline const struct upid *pid_number(const struct pid *pid, __u32 level)
{
	return (void *)pid + bpf_core_field_offset(struct pid, numbers) +
	       level * bpf_core_type_size(struct upid);
}

/* Looks for our namespace among those that a task is in.  Global, and so verified on its own. */
__noinline int pid_space_find(void)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	const struct pid *pid = BPF_CORE_READ(task, thread_pid);
	const struct pid_namespace *space;
	__u32 level = BPF_CORE_READ(pid, level), i;

	for (i = 0; i < MAX_PID_LEVELS && i <= level; i++) {
		const struct upid *number = pid_number(pid, i);

		space = BPF_CORE_READ(number, ns);
		if (BPF_CORE_READ(space, ns.inum) != config.pid_space)
			continue;
		pid_space_level = i;
		pid_space = space;
		break;
	}
	return 0;
}

/* What is called so in our namespace; 0: nothing there, or the task has ended. */
static __always_inline __u32 pid_read(const struct pid *pid)
{
	const struct upid *number = pid_number(pid, pid_space_level);

	if (!pid || !pid_space || BPF_CORE_READ(pid, level) < pid_space_level ||
	    BPF_CORE_READ(number, ns) != pid_space)
		return 0;
	return BPF_CORE_READ(number, nr);
}

static __always_inline __u32 task_tid(const struct task_struct *task)
{
	return config.pid_space ? pid_read(BPF_CORE_READ(task, thread_pid))
				: (__u32)BPF_CORE_READ(task, pid);
}

static __always_inline __u32 task_tgid(const struct task_struct *task)
{
	return config.pid_space ? pid_read(BPF_CORE_READ(task, group_leader, thread_pid))
				: (__u32)BPF_CORE_READ(task, tgid);
}

/* Of the current task: thread group << 32 | thread. */
static __always_inline __u64 current_ids(void)
{
	const struct task_struct *task;

	if (!config.pid_space)
		return bpf_get_current_pid_tgid();
	if (!pid_space)
		pid_space_find();
	task = (void *)bpf_get_current_task();
	return (__u64)task_tgid(task) << 32 | task_tid(task);
}

#endif
