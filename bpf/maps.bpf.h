/* SPDX-License-Identifier: GPL-2.0 */
/* The maps of the sampler; sizes marked "set at load" come from capture/sampler.c. */
#ifndef EDDY_MAPS_BPF_H
#define EDDY_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "sampler_abi.h"

#define EDDY_UNWIND_READ(s, dst, size, addr) bpf_probe_read_user(dst, size, (const void *)(addr))
#include "unwind_step.h"

#define EDDY_MAX_FRAMES (EDDY_MAX_KERNEL_FRAMES + EDDY_MAX_USER_FRAMES)

/*
 * A mapping of the sampled process, kept for the frames of one stack: where an address lies in its
 * file, and the part of eddy_unwind_file that a look-up needs.
 */
struct eddy_mapping {
	__u64 start;
	__u64 end;
	__u64 bias; /* ELF address = virtual address + bias */
	__u64 page_base;
	__u32 kind; /* enum eddy_mapping_kind */
	__u32 file; /* number that frames carry; 0: none yet */
	__u32 first_page;
	__u32 nr_pages;
};

enum eddy_mapping_kind {
	EDDY_MAPPING_NONE,    /* an empty slot */
	EDDY_MAPPING_TABLE,   /* a file with a table */
	EDDY_MAPPING_NOTABLE, /* a file without */
	EDDY_MAPPING_PENDING, /* a file that user space has yet to read */
	EDDY_MAPPING_ANON,    /* executable memory without a file */
};

#define EDDY_NR_MAPPINGS 4 /* stacks rarely pass through more files */

/* Until when mappings that were found hold: while all of this is the same. */
struct eddy_mapping_epoch {
	const struct mm_struct *mm;
	__u64 exec_id;	/* memory may be used again for another mm */
	__u32 pid;	/* thread group */
	__u32 lock_seq; /* changes with the mappings */
	__u32 version;	/* of the tables */
	__u32 is_known; /* 0: this kernel cannot tell, or they are being changed right now */
};

/* The walk up one user stack. */
struct eddy_walk {
	struct eddy_unwind_state state;
	const struct mm_struct *mm;
	struct eddy_mapping_epoch epoch; /* of mapping[] */
	struct eddy_mapping mapping[EDDY_NR_MAPPINGS];
	__u32 next_mapping; /* slot to be filled next */
	__u32 is_signal;    /* the last step left a signal frame */
	__u32 nr_raw;	    /* frames recorded as virtual addresses: they need their process */
	__u32 end;	    /* enum eddy_unwind_end; valid when the walk is over */
	__u64 vma;	    /* what vma_find() found */
	__u64 node[32];	    /* a maple tree node */
	struct eddy_file_event asked; /* the file being looked up */
};

/*
 * One per CPU: an event is built here, since 512 bytes of BPF stack do not hold it.  Only programs
 * of one type use it: a perf event may interrupt a tracepoint program on the same CPU.
 */
struct eddy_scratch {
	struct eddy_stack_event ev;
	__u64 frames[EDDY_MAX_FRAMES]; /* == ev.frames */
	struct eddy_walk walk;
	bpf_user_pt_regs_t regs; /* of user mode, as they were at the sample or at kernel entry */
};

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
	__uint(max_entries, EDDY_UNWIND_MAX_SLABS);
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

/* Preallocated: programs on perf events could not insert otherwise before 6.1. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct eddy_unwind_key);
	__type(value, struct eddy_unwind_file);
} files SEC(".maps");

const volatile struct eddy_config config = {};

#endif
