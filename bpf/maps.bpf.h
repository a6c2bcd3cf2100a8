/* SPDX-License-Identifier: GPL-2.0 */
/* The maps of the sampler; sizes marked "set at load" come from capture/sampler.c. */
#ifndef EDDY_MAPS_BPF_H
#define EDDY_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "sampler_abi.h"

#define EDDY_WINDOW_WORDS 128 /* a power of two */

struct eddy_unwind_state;
static __always_inline int stack_read(struct eddy_unwind_state *state, void *dst, __u32 size,
				      __u64 addr);
#define EDDY_UNWIND_READ(s, dst, size, addr) stack_read(s, dst, size, addr)
#include "unwind_step.h"

#define EDDY_MAX_FRAMES (EDDY_MAX_KERNEL_FRAMES + EDDY_MAX_USER_FRAMES)

/*
 * A mapping of a process, kept for later stacks: where an address lies in its file, and the part of
 * eddy_unwind_file that a look-up needs.
 */
struct eddy_mapping {
	__u64 start;
	__u64 end;
	__u64 bias; /* ELF address = virtual address + bias */
	__u64 page_base;
	__u64 area;	 /* its vm_area_struct; 0: not to be trusted when mappings have changed */
	__u32 area_seq;	 /* vm_lock_seq of the area: changes with it */
	__u32 known_seq; /* mm_lock_seq at which it was last known to hold */
	__u32 kind;	 /* enum eddy_mapping_kind */
	__u32 file;	 /* number that frames carry; 0: none yet */
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

#define EDDY_NR_MAPPINGS 8 /* stacks rarely pass through more files */
#define EDDY_NR_SPACES	 8 /* processes that take turns on a CPU */

/* The mappings of one process that stacks on this CPU passed through lately. */
struct eddy_space {
	const struct mm_struct *mm;
	__u64 exec_id;	   /* memory may be used again for another mm, */
	__u64 started_ns;  /* and a PID for another process */
	__u32 pid;	   /* thread group */
	__u32 version;	   /* of the tables */
	__u32 lock_seq;	   /* changes with the mappings; 0 where the kernel cannot tell */
	__u32 is_changing; /* somebody is at it right now */
	__u32 next;	   /* slot to be filled next */
	__u32 last;	   /* slot found last */
	struct eddy_mapping mapping[EDDY_NR_MAPPINGS];
};

/* The walk up one user stack. */
struct eddy_walk {
	struct eddy_unwind_state state;
	const struct mm_struct *mm;
	__u32 space;	 /* of the process */
	__u32 is_signal; /* the last step left a signal frame */
	__u32 nr_raw;	 /* frames recorded as virtual addresses: they need their process */
	__u32 end;	 /* enum eddy_unwind_end; valid when the walk is over */
	__u32 row;	 /* where the next row is expected: rows.bpf.h */
	__u32 window_bytes;
	__u64 kernel_top; /* end of the kernel stack: kernel_stack.bpf.h */
	__u64 window_addr;
	__u64 window[EDDY_WINDOW_WORDS]; /* of the stack: stack.bpf.h */
	__u64 vma;			 /* what vma_find() found */
	__u64 node[32];			 /* a maple tree node, or another piece of kernel memory */
	struct eddy_file_event asked;	 /* the file being looked up */
};

/*
 * One per CPU: an event is built here, since 512 bytes of BPF stack do not hold it.  Only programs
 * of one type use it: a perf event may interrupt a tracepoint program on the same CPU.  What is
 * used together stands together: after the sampled program has run for a while each page that is
 * touched costs more than what is done there.
 */
struct eddy_scratch {
	struct eddy_walk walk;
	__u32 nr_kernel_walks;
	bpf_user_pt_regs_t regs; /* of user mode, as they were at the sample or at kernel entry */
	struct eddy_stack_event ev;
	__u64 frames[EDDY_MAX_FRAMES]; /* == ev.frames */
	struct eddy_space space[EDDY_NR_SPACES];
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

/*
 * The rows that the last walks on a CPU came upon, and their rules, in the order in which they were
 * first met: rows.bpf.h.
 */
#define EDDY_NR_ROWS	  1024
#define EDDY_NR_ROW_HEADS 2048

struct eddy_row {
	__u64 place; /* page << 16 | low half of the address, with EDDY_ROW_VALID */
	__u32 version;
	struct eddy_unwind_rule rule;
};

#define EDDY_ROW_VALID (1ull << 63)

struct eddy_rows {
	__u32 next; /* to be filled next */
	__u32 unused;
	__u16 head[EDDY_NR_ROW_HEADS]; /* by hash of the place; may point to another's */
	struct eddy_row row[EDDY_NR_ROWS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_rows);
} rows SEC(".maps");

/* For each KiB of the kernel's text where to look in its ORC tables: orc.bpf.h.  All CPUs write it.
 */
#define EDDY_ORC_BLOCK_SHIFT 10
#define EDDY_NR_ORC_BLOCKS   32768

struct eddy_orc_index {
	__u32 near[EDDY_NR_ORC_BLOCKS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eddy_orc_index);
} orc_index SEC(".maps");

/* Preallocated: programs on perf events could not insert otherwise before 6.1. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct eddy_unwind_key);
	__type(value, struct eddy_unwind_file);
} files SEC(".maps");

const volatile struct eddy_config config = {};

#endif
