/* SPDX-License-Identifier: GPL-2.0 */
/* The maps of the sampler; sizes marked "set at load" come from capture/sampler_skel.c. */
#ifndef EDDY_MAPS_BPF_H
#define EDDY_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "map_values.bpf.h"
#include "sampler_abi.h"
#include "wait_abi.h"
#include "walk_state.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_scratch);
} scratch SEC(".maps");

/*
 * Where a sample with a copy of its stack is built, one per CPU.  Not a per-CPU map: their values
 * have 32 KiB at most.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set at load */
	__type(key, __u32);
	__type(value, struct eddy_late_event);
} late SEC(".maps");

/* By turn % EDDY_NR_TURNS, like `active`. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, EDDY_NR_TURNS);
	__type(key, __u32);
	__type(value, struct eddy_counters);
} counters SEC(".maps");

/* Samples of this CPU that were not sent yet; the same way, and marks are asked for or none is. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, EDDY_NR_TURNS);
	__type(key, __u32);
	__type(value, struct eddy_marks_event);
} marks SEC(".maps");

/* Hits of a tracepoint, sampled or not. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} hits SEC(".maps");

/*
 * The counts maps hang in an outer map, one for even turns and one for odd ones: updating it waits
 * until no program is left that began before (a map-in-map update ends with synchronize_rcu), which
 * is what makes a window's end exact.  Preallocated: perf events may come as NMI, where nothing can
 * be allocated.
 */
struct eddy_counts_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024); /* set at creation */
	__uint(key_size, sizeof(struct eddy_stack_key));
	__uint(value_size, sizeof(struct eddy_count));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, EDDY_NR_TURNS);
	__type(key, __u32);
	__array(values, struct eddy_counts_map);
} active SEC(".maps");

/* Records that begin with enum eddy_event_type. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20); /* set at load */
} ring SEC(".maps");

/* -p, -t, --only-command: thread groups or threads that are sampled. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384); /* set at load where none are */
	__type(key, __u32);
	__type(value, __u8);
} tasks SEC(".maps");

/* Those of them that are ending, by their number in the first PID namespace: process.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384); /* set at load where there can be none */
	__type(key, __u32);
	__type(value, __u32);
} ending SEC(".maps");

/*
 * Threads that wait or have waited, by their number in the first PID namespace.  Not in the storage
 * of tasks (5.11): user space reads all of them at a window's end.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set at load */
	__type(key, __u32);
	__type(value, struct eddy_waiter);
} waiters SEC(".maps");

/* Where the stacks of threads are built that wait already when eddy comes: by one process only. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_scratch);
} seed_scratch SEC(".maps");

/* CPUs on which tracepoints are sampled, with EDDY_FILTER_CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set at load */
	__type(key, __u32);
	__type(value, __u8);
} cpus SEC(".maps");

/* -G: the cgroup that is sampled. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

/* Where a record of a cgroup is built: cgroup.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_cgroup_event);
} new_cgroup SEC(".maps");

/* ---- unwind tables: include/unwind_abi.h; written by user space through mappings ---------- */

struct eddy_slab_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct eddy_unwind_slab));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, EDDY_UNWIND_MAX_SLABS); /* set at load where there are no tables */
	__type(key, __u32);
	__array(values, struct eddy_slab_map);
} slabs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_unwind_pages);
} pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_unwind_rules);
} rules SEC(".maps");

/* Of one CPU: rows.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_rows);
} rows SEC(".maps");

/* Of all CPUs: orc.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_orc_index);
} orc_index SEC(".maps");

/* Preallocated: programs on perf events could not insert otherwise before 6.1. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384); /* set at load where there are no tables */
	__type(key, struct eddy_unwind_key);
	__type(value, struct eddy_unwind_file);
} files SEC(".maps");

#endif
