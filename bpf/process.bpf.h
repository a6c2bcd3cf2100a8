/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What processes do that the sampler must know of: exec replaces the program under addresses that
 * have been seen, fork makes children of the processes that are sampled, and those end.  Raw
 * tracepoints need neither tracefs nor kprobes.
 */
#ifndef EDDY_PROCESS_BPF_H
#define EDDY_PROCESS_BPF_H

#include "maps.bpf.h"
#include <bpf/bpf_core_read.h>

/* Thread groups whose stacks were sent lately: a new one wakes user space, which reads its maps. */
#define NR_SEEN 4096
__u32 seen[NR_SEEN];

SEC("raw_tp/sched_process_exec")
int eddy_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct eddy_process_event ev = {
		.type = EDDY_EVENT_EXEC,
		.pid = bpf_get_current_pid_tgid() >> 32,
		.time_ns = bpf_ktime_get_ns(),
	};

	seen[ev.pid % NR_SEEN] = 0;
	bpf_ringbuf_output(&ring, &ev, sizeof(ev), BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int eddy_fork(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *child = (void *)ctx->args[1];
	__u32 parent_pid = bpf_get_current_pid_tgid() >> 32;
	__u32 child_pid = BPF_CORE_READ(child, tgid);
	__u8 one = 1;

	if (child_pid != parent_pid && bpf_map_lookup_elem(&tasks, &parent_pid))
		bpf_map_update_elem(&tasks, &child_pid, &one, BPF_ANY);
	return 0;
}

/* Nothing of the task is left: its number may soon be another's, and the map has an end. */
SEC("raw_tp/sched_process_free")
int eddy_free(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = (void *)ctx->args[0];
	__u32 pid = BPF_CORE_READ(task, pid);

	bpf_map_delete_elem(&tasks, &pid);
	return 0;
}

#endif
