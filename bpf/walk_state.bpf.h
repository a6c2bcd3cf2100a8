/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program has in hand while it takes one sample, and what it remembers of processes from
 * one sample to the next: the value of the map `scratch`.
 */
#ifndef EDDY_WALK_STATE_BPF_H
#define EDDY_WALK_STATE_BPF_H

#include "vmlinux.h"

#include "sampler_abi.h"
#include "unwind_state.h"
#include "wait_abi.h"

#define EDDY_WINDOW_WORDS 128 /* a power of two */
#define EDDY_MAX_FRAMES	  (EDDY_MAX_KERNEL_FRAMES + EDDY_MAX_USER_FRAMES)

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
#define EDDY_NR_SPACES	 8 /* processes that alternate on a CPU */

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
	__u32 pid;	 /* thread group, in our PID namespace; 0: it has no number there */
	__u32 space;	 /* of the process */
	__u32 is_signal; /* the last step left a signal frame */
	__u32 nr_raw;	 /* frames recorded as virtual addresses: they need their process */
	__u32 end;	 /* enum eddy_unwind_end; valid when the walk is over */
	__u32 row;	 /* where the next row is expected: rows.bpf.h */
	__u32 window_bytes;
	__u32 by_code;	  /* a rule was asked that was read out of code */
	__u64 kernel_top; /* end of the kernel stack: kernel_stack.bpf.h */
	__u64 window_addr;
	__u64 window[EDDY_WINDOW_WORDS];  /* of the stack: stack.bpf.h */
	__u64 vma;			  /* what area_find() found */
	__u64 node[32];			  /* a maple tree node, or another piece of kernel memory */
	struct eddy_file_event asked;	  /* the file being looked up */
	const struct uprobe_task *probes; /* that the task has met: probes.bpf.h; NULL: none */
	__u64 trampoline;		  /* where its return probes are come by */
};

/* A stack's key, as far as it is made. */
struct eddy_hash {
	__u64 hash[2];
	__u64 outside; /* the highest bit: a frame of the kernel outside of its text */
	__u32 check;
};

/*
 * One per CPU: an event is built here, since 512 bytes of BPF stack do not hold it.  Only the
 * sampling program uses it: it may interrupt the others on the same CPU, but not itself.  What is
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
	/*
	 * Not on the stack: 5.10 and 6.1 said "combined stack size of 4 calls is 544. Too large".
	 */
	struct eddy_spill_event spill;
	__u64 begun_ns;		   /* when the program was; the same */
	__u32 which;		   /* turn % EDDY_NR_TURNS; the same */
	__u32 is_counted;	   /* the counts map has the sample */
	struct eddy_hash hash;	   /* the same */
	struct eddy_waiter waiter; /* the same */
};

#endif
