/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of the sampler (BPF) and the loader (user space): what stands in its maps and in
 * its ring.  All of it is in host order on one machine, nothing of it goes to files.
 *
 * A sample is counted in a map, the counts map, under the 128-bit hash of its whole stack (frames,
 * who it belongs to, how it ended).  The first sample of a stack also sends the stack itself
 * through the ring, so that user space can name its frames while the process still lives; later
 * samples are one atomic add.
 *
 *	counts map   hash -> eddy_count: how many samples, and what they weigh
 *	ring         eddy_stack_event: what the hash stands for
 *	marks        eddy_marks_event: where times are asked for, when each sample was taken
 *
 * Everything that a sample adds (its count, its counters, its records) is added under one turn,
 * a number that the program reads once, at its beginning.  Counts and counters stand twice, for
 * even turns and for odd ones; user space raises the turn, waits until no program is left that
 * began before, and finds all that the turn before had, complete and at rest: that is how a window
 * ends (capture/counts.h).
 */
#ifndef EDDY_SAMPLER_ABI_H
#define EDDY_SAMPLER_ABI_H

#include <linux/types.h>

#include "unwind_abi.h"

#define EDDY_MAX_KERNEL_FRAMES 127 /* kernel.perf_event_max_stack of a kernel nobody tuned */
#define EDDY_MAX_USER_FRAMES   1023
#define EDDY_COMM_BYTES	       16

/* Turns that counts and counters stand for: the one that is on, and the one before. */
#define EDDY_NR_TURNS 2

struct eddy_stack_key {
	__u64 hash[2];
};

/* Value of the counts map, which stands in `active` by turn % EDDY_NR_TURNS. */
struct eddy_count {
	__u64 count;  /* samples */
	__u64 weight; /* of them; 0 without config.is_weighed */
	__u32 check; /* a third hash: two stacks of one key are told apart, the second is spilled */
	__u32 sent;  /* the stack itself went through the ring */
};

/* Records of the ring begin with a __u32 that holds one of these. */
enum eddy_event_type {
	EDDY_EVENT_STACK = 1,  /* struct eddy_stack_event */
	EDDY_EVENT_SPILL = 2,  /* struct eddy_spill_event */
	EDDY_EVENT_EXEC = 3,   /* struct eddy_process_event */
	EDDY_EVENT_FILE = 5,   /* struct eddy_file_event */
	EDDY_EVENT_LATE = 6,   /* struct eddy_late_event */
	EDDY_EVENT_CGROUP = 7, /* struct eddy_cgroup_event */
	EDDY_EVENT_MARKS = 8,  /* struct eddy_marks_event */
};

enum eddy_sample_flag {
	EDDY_SAMPLE_USER_MODE = 1 << 0,	    /* the CPU was in user mode */
	EDDY_SAMPLE_OFF_STACK = 1 << 1,	    /* kernel mode, stack pointer off the task's stack */
	EDDY_SAMPLE_KERNEL_BROKEN = 1 << 2, /* the kernel stack could not be read: leaf only */
	EDDY_SAMPLE_KERNEL_CUT = 1 << 3,    /* the kernel stack reached the depth limit */
	EDDY_SAMPLE_FP_STEPS = 1 << 4,	    /* some user frames were found by frame pointer */
	EDDY_SAMPLE_KTHREAD = 1 << 5,	    /* a task without user memory */
	EDDY_SAMPLE_IDLE = 1 << 6,	    /* the idle task */
	EDDY_SAMPLE_HIDDEN = 1 << 7,	    /* a task that has no number in our PID namespace */
	EDDY_SAMPLE_CODE_STEPS = 1 << 8,    /* some user frames were found by EDDY_RA_CODE */
};

/*
 * One distinct stack.  frames[] holds nr_kernel kernel addresses, leaf first, then nr_user user
 * frames, leaf first.  Kernel frames but the first are return addresses; user frames have been
 * stepped back into the call already.  A user frame is a virtual address of the process, or,
 * with EDDY_FRAME_FILE set, a file number and an ELF address.
 *
 *	63 62          40 39                                0
 *	1  file number    ELF virtual address                   known file
 *	0  virtual address                                      anonymous memory, vdso, unknown
 */
#define EDDY_FRAME_FILE	      (1ull << 63)
#define EDDY_FRAME_FILE_SHIFT 40
#define EDDY_FRAME_FILE_MASK  0x7fffffull
#define EDDY_FRAME_ADDR_MASK  ((1ull << EDDY_FRAME_FILE_SHIFT) - 1)

struct eddy_stack_event {
	__u32 type;
	__u32 samples; /* 1: the sample is counted here and nowhere else (spilled); else 0 */
	struct eddy_stack_key key;
	__u64 period;  /* what the sample weighs: events since the one before, or 1 */
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 cgroup;  /* cgroup v2 id; 0 unless asked for */
	__u32 pid;     /* thread group; 0 unless asked for, or needed to name a frame */
	__u32 tid;     /* 0 unless asked for */
	__u32 cpu;     /* 0 unless asked for */
	__u16 nr_kernel;
	__u16 nr_user;
	__u16 flags;   /* enum eddy_sample_flag */
	__u8 user_end; /* enum eddy_unwind_end: how the user stack ended */
	__u8 unused8;
	__u32 check;
	__u32 turn;	  /* of the sample */
	__u32 started_ms; /* when the process began, modulo 2^32; 0 when pid is */
	char comm[EDDY_COMM_BYTES];
	char program[EDDY_COMM_BYTES]; /* comm of the process's leader; only if asked for */
	__u32 exec_id;	  /* counts the programs of the process, modulo 2^32; 0 when pid is */
	__u32 module_seq; /* of struct eddy_text at the sample */
	__u32 uid;	  /* the task's real user; of identical stacks that of the first */
	__u32 unused;
	__u64 frames[];
};

/* A sample of a stack that is known but that the counts map could not hold. */
struct eddy_spill_event {
	__u32 type;
	__u32 samples; /* 1 */
	struct eddy_stack_key key;
	__u64 period;  /* as in struct eddy_stack_event */
	__u64 time_ns; /* the same */
	__u32 turn;
	__u32 unused;
};

/*
 * When samples were taken that the counts map counts: each CPU collects them in the map `marks`, by
 * turn % EDDY_NR_TURNS, and sends them when there is no more room for one; what has not been sent
 * at a turn's end is taken from the map.  A mark that finds no room is left out, its sample is not:
 * user space sees how many of a window's samples have none.
 */
#define EDDY_NR_MARKS 32

struct eddy_mark {
	struct eddy_stack_key key;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 period;  /* as in struct eddy_stack_event */
};

struct eddy_marks_event {
	__u32 type;
	__u32 turn;
	__u32 nr;
	__u32 unused;
	struct eddy_mark marks[EDDY_NR_MARKS]; /* nr of them are */
};

/*
 * When the program that a PID runs now began, CLOCK_MONOTONIC, by PID % EDDY_NR_BEGUN: what was
 * sampled of that PID before then is not of that program.  It is set before anything of the new
 * program can be seen in /proc.  0: before the sampler was started.  PIDs share an element: for one
 * of them the time may be too late, never too early.
 */
#define EDDY_NR_BEGUN 16384

struct eddy_process_event {
	__u32 type;
	__u32 pid;
	__u64 time_ns;
};

/*
 * A cgroup of version 2 was made, and nothing has run in it yet; what is sampled there comes later.
 * The path is that of the whole machine's hierarchy, with its 0; one that is too long is cut, and
 * without.
 */
#define EDDY_CGROUP_PATH_BYTES 1008

struct eddy_cgroup_event {
	__u32 type;
	__u32 path_bytes; /* with the 0 */
	__u64 id;
	char path[EDDY_CGROUP_PATH_BYTES]; /* path_bytes of them are sent */
};

/* A file was met that has no table yet; the mapping tells user space where to open it. */
struct eddy_file_event {
	__u32 type;
	__u32 pid;
	struct eddy_unwind_key key;
	/*
	 * The file that /proc/PID/maps may print instead, its generation 0: on overlayfs what is
	 * mapped is the file of the layer, and since 6.7 the one in front of it may be shown.
	 */
	struct eddy_unwind_key shown;
	__u64 start; /* of the mapping, in the process */
	__u64 end;
};

/*
 * A sample that met a file without its table, with what is needed to walk its user stack later:
 * registers, and the stack from below the red zone on.  It is counted here and nowhere else.
 */
#define EDDY_LATE_FRAMES      (EDDY_MAX_KERNEL_FRAMES + 257)
#define EDDY_LATE_CHUNK	      1024
#define EDDY_LATE_STACK_BYTES (64 * EDDY_LATE_CHUNK)
#define EDDY_LATE_SHORT_BYTES (16 * EDDY_LATE_CHUNK) /* while the ring is filling */

struct eddy_late_event {
	__u32 type;
	__u32 stack_bytes;
	__u64 stack_addr;
	__u64 gpr[EDDY_NR_GPRS];    /* x86-64 */
	__u64 pc, sp, fp, lr;	    /* arm64 */
	struct eddy_stack_event ev; /* as far as it was walked; at most EDDY_LATE_FRAMES frames */
	__u64 frames[EDDY_LATE_FRAMES];	   /* == ev.frames */
	__u8 stack[EDDY_LATE_STACK_BYTES]; /* stack_bytes of them are sent */
};

/* The vdso has no file: its table stands under this key. */
#define EDDY_VDSO_INO 0
#define EDDY_VDSO_DEV 0
#define EDDY_VDSO_GEN 0x6f736476 /* "vdso" */

/* What the samples of each place weigh together, by the same identity; 0 without is_weighed. */
struct eddy_weights {
	__u64 delivered, idle, filtered, recorded, lost_map_full, lost_map_busy, lost_switch;
};

/*
 * Per-CPU counters of one turn.  delivered = idle + filtered + recorded + all lost_*, exactly,
 * once the turn is over.
 */
struct eddy_counters {
	__u64 delivered;
	__u64 idle;	     /* the idle task, halted */
	__u64 filtered;	     /* left out: enum eddy_filter */
	__u64 recorded;	     /* counted in the map, or sent through the ring to be counted there */
	__u64 lost_map_full; /* neither map nor ring had room */
	__u64 lost_map_busy; /* the map refused (lock held, hash taken), the ring was full */
	__u64 lost_switch;   /* waits: nobody saw the thread switched out, so where is not known */
	/* Not places of samples, only details of them: */
	__u64 spilled;	      /* recorded, but through the ring */
	__u64 hash_conflicts; /* spilled because another stack has the same hash */
	__u64 ring_retries;   /* stacks that did not fit when they were first sent; sent again */
	__u64 late;	      /* recorded, but sent with a copy of the stack */
	/* Kernel stacks that were not asked of the kernel, and those compared with its answer. */
	__u64 kernel_walked;
	__u64 kernel_checked;
	__u64 kernel_differed;
	__u64 run_ns;	 /* in the program, of the samples delivered */
	__u64 idle_task; /* delivered while the idle task ran and no interrupt, kept or not */
	/* Of waits (include/wait_abi.h): */
	__u64 switches;	  /* a thread that is asked for was switched out */
	__u64 waiters;	  /* threads met for the first time */
	__u64 unfollowed; /* threads switched out that found no place in the map of waiters */
	__u64 unseen;	  /* switches and wake-ups that the kernel did not tell: met at the next */
	__u64 unwoken_ns; /* of waits that ended by such a wake-up */
	struct eddy_weights weight;
};

/* Which samples are left out. */
enum eddy_filter {
	EDDY_FILTER_PID = 1 << 0, /* thread group not in map `tasks` */
	EDDY_FILTER_TID = 1 << 1, /* thread not in map `tasks` */
	EDDY_FILTER_COMM = 1 << 2,
	EDDY_FILTER_CGROUP = 1 << 3, /* not under the cgroup in map `cgroups` */
	EDDY_FILTER_USER = 1 << 4,   /* user stacks only */
	EDDY_FILTER_KERNEL = 1 << 5, /* kernel stacks only */
	EDDY_FILTER_CPU = 1 << 6,    /* not in map `cpus` (tracepoints fire on all of them) */
};

/* What tells two identical stacks apart, besides frames and comm. */
enum eddy_identity {
	EDDY_IDENTITY_TID = 1 << 0,
	EDDY_IDENTITY_CPU = 1 << 1,
	EDDY_IDENTITY_CGROUP = 1 << 2,
	EDDY_IDENTITY_PID = 1 << 3,
	EDDY_IDENTITY_PROGRAM = 1 << 4,
};

/* How user stacks are walked. */
enum eddy_unwind_how {
	EDDY_UNWIND_AUTO, /* by tables, and by frame pointer where there are none */
	EDDY_UNWIND_FP,	  /* by frame pointer only */
	EDDY_UNWIND_EH,	  /* by tables only */
};

/* Which samples are sent with a copy of their stack. */
enum eddy_copy {
	EDDY_COPY_NONE,
	EDDY_COPY_PENDING, /* those that met a file without its table */
	EDDY_COPY_ALL,	   /* for tests: all with a user stack; counted as usual besides */
};

struct eddy_range {
	__u64 start;
	__u64 end; /* exclusive */
};

#define EDDY_MAX_IDLE_RANGES 32

/* Functions in which an idle CPU halts; written after loading, before sampling. */
struct eddy_idle {
	__u32 nr_ranges;
	struct eddy_range range[EDDY_MAX_IDLE_RANGES];
};

/* When waits are charged, CLOCK_MONOTONIC; written by user space. */
struct eddy_wait_window {
	__u64 begin_ns; /* nothing before is; 0: nothing at all yet */
	__u64 end_ns;	/* nothing that comes later is looked at; 0: not known yet */
	__u64 schedule; /* where the scheduler's __schedule() begins; 0: not known */
	__u64 schedule_bytes;
};

/*
 * The kernel's own text; code outside of it (modules, BPF programs, trampolines) comes and goes,
 * and its addresses are used again.  So stacks that pass through there are not the same when some
 * has come or gone in between.
 */
struct eddy_text {
	__u64 start; /* 0: not known */
	__u64 bytes;
	__u64 bpf_seq;	  /* where the kernel counts changes to BPF programs and trampolines; 0 */
	__u32 bpf_serial; /* raised by user space when it learns of such, where that is not known */
	__u32 module_seq; /* raised when a module comes or goes */
};

/*
 * The kernel's ORC tables (x86-64, CONFIG_UNWINDER_ORC), by which it walks its own stacks; written
 * after loading, before sampling.  Zeroed: there are none, and the kernel is asked for stacks.
 */
struct eddy_orc {
	__u64 text_start; /* the tables are of this text, not of modules */
	__u64 text_end;
	__u64 ips;	     /* of nr_entries __s32, each counted from its own address */
	__u64 entries;	     /* of nr_entries struct orc_entry, 6 bytes */
	__u64 trampoline[2]; /* return addresses that stand in the place of others */
	__u32 nr_entries;    /* at least 64 */
	__u32 has_old_types; /* before 6.3: another numbering, and no bit `signal` */
	__u32 is_on;	     /* cleared by the program when a stack differed from the kernel's */
};

/* Fixed before the program is loaded (.rodata): the verifier drops what is switched off. */
struct eddy_config {
	__u64 seed;	  /* of the stack hash, so that nobody can prepare collisions */
	__u64 wake_bytes; /* wake user space when more than this waits in the ring */
	__u64 page_bytes;
	__u64 thread_bytes; /* THREAD_SIZE to assume until the kernel told */
	__u64 ra_mask;	    /* arm64: address bits of user space, the others may be a signature */
	__u64 period;	    /* of tracepoints: every n-th hit is a sample */
	__u32 pid_space;    /* PID namespace of all PIDs here; 0: the machine's first */
	__u32 filter;	    /* enum eddy_filter */
	__u32 identity;	    /* enum eddy_identity */
	__u32 keep_idle;
	__u32 max_user_frames;
	__u32 max_kernel_frames;  /* that the kernel gives: kernel.perf_event_max_stack */
	__u32 copy;		  /* enum eddy_copy */
	__u32 unwind;		  /* enum eddy_unwind_how */
	__u32 kernel_check_every; /* of so many kernel stacks that were walked one is compared */
	__u32 is_weighed;	  /* samples weigh their period: a frequency, and no clock */
	__u32 has_backing_files;  /* behind a file of overlayfs or FUSE stands its path: 6.7 */
	__u32 has_caller_regs;	  /* the event's registers are those of perf_fetch_caller_regs() */
	__u32 waits;		  /* waits are charged: wait_abi.h */
	__u32 wall;		  /* and time on CPUs besides */
	__u32 has_times;	  /* each sample leaves a mark */
	__u32 has_prev_state;	  /* sched_switch tells the state of who goes: 5.18 */
	__u64 min_wait_ns;	  /* shorter waits are left out */
	__u64 cgroup;		  /* id of that in map `cgroups`; 0: none */
	char comm[EDDY_COMM_BYTES];
};

#endif
