/* SPDX-License-Identifier: GPL-2.0 */
/* The maps of the sampler; sizes marked "set at load" come from capture/sampler.c. */
#ifndef EDDY_MAPS_BPF_H
#define EDDY_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "sampler_abi.h"

#define EDDY_MAX_FRAMES (EDDY_MAX_KERNEL_FRAMES + EDDY_MAX_USER_FRAMES)

/* Registers of the user frame that the walk stands on, and what it needs to know of the task. */
struct eddy_walk {
	__u64 pc; /* of the instruction: already stepped back when it was a return address */
	__u64 sp;
	__u64 fp;
	__u32 end; /* enum eddy_unwind_end; valid when the walk is over */
	__u32 nr_fp;
};

/*
 * One per CPU: an event is built here, since 512 bytes of BPF stack do not hold it.  Only programs
 * of one type use it: a perf event may interrupt a tracepoint program on the same CPU.
 */
struct eddy_scratch {
	struct eddy_stack_event ev;
	__u64 frames[EDDY_MAX_FRAMES]; /* == ev.frames */
	struct eddy_walk walk;
	bpf_user_pt_regs_t regs; /* of a task in the kernel */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_scratch);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_counters);
} counters SEC(".maps");

/*
 * The counts map hangs in an outer map: replacing it also waits until no program uses the old one
 * any more (a map-in-map update ends with synchronize_rcu), which is what makes a window's end
 * exact.  Preallocated: perf events may come as NMI, where nothing can be allocated.
 */
struct eddy_counts_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024); /* set at creation */
	__uint(key_size, sizeof(struct eddy_stack_key));
	__uint(value_size, sizeof(struct eddy_count));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct eddy_counts_map);
} active SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20); /* set at load */
} ring SEC(".maps");

/* -p, -t, --only-command: thread groups or threads that are sampled. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u8);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set at load */
	__type(key, __u32);
	__type(value, __u8);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

const volatile struct eddy_config config = {};

#endif
