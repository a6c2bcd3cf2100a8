/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of cgroups that are made while samples are taken: many are gone again before anybody could
 * ask for the name of the id that a sample has.
 */
#ifndef EDDY_CGROUP_BPF_H
#define EDDY_CGROUP_BPF_H

#include "maps.bpf.h"
#include "variables.bpf.h"
#include <bpf/bpf_core_read.h>

/*
 * The kernel holds a lock on its buffer of the path meanwhile, so one record is built at a time.
 * What is not said, since samples need the room, can still be asked for while the cgroup is there.
 */
SEC("raw_tp/cgroup_mkdir")
int eddy_cgroup_mkdir(struct bpf_raw_tracepoint_args *ctx)
{
	const struct cgroup *cgroup = (void *)ctx->args[0];
	__u64 waiting = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);
	struct eddy_cgroup_event *ev;
	__u32 zero = 0;
	long bytes;

	ev = bpf_map_lookup_elem(&new_cgroup, &zero);
	if (!ev || waiting > 2 * config.wake_bytes || BPF_CORE_READ(cgroup, root, hierarchy_id))
		return 0;
	ev->type = EDDY_EVENT_CGROUP;
	ev->id = BPF_CORE_READ(cgroup, kn, id);
	bytes = bpf_probe_read_kernel_str(ev->path, sizeof(ev->path), (void *)ctx->args[1]);
	if (bytes <= 0 || bytes >= (long)sizeof(ev->path))
		return 0;
	ev->path_bytes = bytes;
	bpf_ringbuf_output(&ring, ev, offsetof(struct eddy_cgroup_event, path) + bytes,
			   waiting > config.wake_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
	return 0;
}

#endif
