/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What processes do that the sampler must know of: exec replaces the program under addresses that
 * have been seen, fork makes children of the processes that are sampled, those end, and modules
 * come and go.  Raw tracepoints need neither tracefs nor kprobes.
 */
#ifndef EDDY_PROCESS_BPF_H
#define EDDY_PROCESS_BPF_H

#include "maps.bpf.h"
#include "pids.bpf.h"
#include "variables.bpf.h"
#include <bpf/bpf_core_read.h>

SEC("raw_tp/sched_process_exec")
int eddy_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct eddy_process_event ev = {
		.type = EDDY_EVENT_EXEC,
		.pid = current_ids() >> 32,
		.time_ns = bpf_ktime_get_ns(),
	};

	if (!ev.pid)
		return 0; /* of another namespace: nothing is known of its addresses */
	seen[ev.pid % NR_SEEN] = 0;
	bpf_ringbuf_output(&ring, &ev, sizeof(ev), BPF_RB_NO_WAKEUP);
	return 0;
}

/*
 * exec gives the task its new name when it has its new memory, of which nothing is mapped yet; only
 * then is start_code 0.  sched_process_exec comes when all is mapped: too late for begun_ns.
 */
SEC("raw_tp/task_rename")
int eddy_rename(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = (void *)ctx->args[0];
	const struct mm_struct *mm = BPF_CORE_READ(task, mm);
	__u32 pid = current_ids() >> 32;

	if (mm && !BPF_CORE_READ(mm, start_code))
		begun_ns[pid % EDDY_NR_BEGUN] = bpf_ktime_get_ns();
	return 0;
}

/* Before anything of the module has run. */
SEC("raw_tp/module_load")
int eddy_module_load(struct bpf_raw_tracepoint_args *ctx)
{
	__atomic_fetch_add(&text.module_seq, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Before its memory is freed. */
SEC("raw_tp/module_free")
int eddy_module_free(struct bpf_raw_tracepoint_args *ctx)
{
	__atomic_fetch_add(&text.module_seq, 1, __ATOMIC_RELAXED);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int eddy_fork(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *child = (void *)ctx->args[1];
	__u32 parent_pid = current_ids() >> 32;
	__u32 child_pid = task_tgid(child);
	__u8 one = 1;

	if (child_pid != parent_pid && bpf_map_lookup_elem(&tasks, &parent_pid))
		bpf_map_update_elem(&tasks, &child_pid, &one, BPF_ANY);
	return 0;
}

/*
 * Only with config.pid_space: when the last of a task goes, it has no number any more, so the one
 * that is in `tasks` is kept by the task's number in the first namespace.
 */
SEC("raw_tp/sched_process_exit")
int eddy_exit(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = (void *)ctx->args[0];
	__u32 first = BPF_CORE_READ(task, pid), pid = current_ids();

	if (bpf_map_lookup_elem(&tasks, &pid))
		bpf_map_update_elem(&ending, &first, &pid, BPF_ANY);
	return 0;
}

/* Nothing of the task is left: its number may soon be another's, and the map has an end. */
SEC("raw_tp/sched_process_free")
int eddy_free(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = (void *)ctx->args[0];
	__u32 first = BPF_CORE_READ(task, pid), pid = first, *number;

	if (config.pid_space) {
		number = bpf_map_lookup_elem(&ending, &first);
		if (!number)
			return 0;
		pid = *number;
		bpf_map_delete_elem(&ending, &first);
	}
	bpf_map_delete_elem(&tasks, &pid);
	return 0;
}

#endif
