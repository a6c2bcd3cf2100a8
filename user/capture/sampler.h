/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler's life: sampler_open -> sampler_start -> poll sampler_poll_fd(): sampler_drain_ring,
 * sampler_relieve_counts, and at the end of a window sampler_end_window -> sampler_stop ->
 * sampler_free.
 *
 * Each sample is in exactly one window and ends there in exactly one place: idle, filtered, kept
 * (handed to the consumer as a count or a spilled stack), or lost under one reason.  The identity
 *	delivered == idle + filtered + kept + sum of lost[]
 * holds exactly after sampler_end_window() and sampler_stop(), for all windows so far and so, by
 * differences, for each of them.
 */
#ifndef EDDY_CAPTURE_SAMPLER_H
#define EDDY_CAPTURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/event.h"
#include "capture/other_programs.h"
#include "capture/sampler_stats.h"
#include "sampler_abi.h"
#include "wait_abi.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/diag.h"

struct sampler;

struct sampler_opts {
	struct capture_event event;
	struct capture_rate rate;
	const uint32_t *cpus; /* NULL: all that are online, and those that come */
	size_t nr_cpus;
	const uint32_t *tasks; /* thread groups or threads (by_thread); NULL: all */
	size_t nr_tasks;
	bool by_thread;
	bool follow_forks;	 /* children of `tasks` too, at any depth */
	const char *cgroup_path; /* a cgroup v2 directory; NULL: all */
	const char *comm;	 /* NULL: all */
	bool user_only, kernel_only, keep_idle;
	bool waits;	      /* waiting threads instead of samples; event and rate mean nothing */
	bool wall;	      /* with waits: time on CPUs too, by the event at that rate */
	bool times;	      /* of samples: the consumer's time() is called */
	uint64_t min_wait_ns; /* shorter waits are left out; 0: none */
	uint32_t identity;    /* enum eddy_identity: what to tell apart besides pid and comm */
	uint32_t max_user_frames;
	enum eddy_unwind_how unwind;
	bool copy_all; /* every user stack comes with a copy of its memory; for checks, it is dear
			*/
	bool check_kernel;	  /* every kernel stack that was walked is compared; for checks */
	uint64_t max_table_bytes; /* kernel memory for unwind tables; 0: default */
	uint64_t map_bytes;	  /* kernel memory for the counts map; 0: default */
	uint64_t ring_bytes;	  /* 0: by number of CPUs */
	size_t max_stacks;	  /* that are known at a time; 0: all of a window */
	struct worker_pool *pool; /* reads files and mappings of others; NULL: done here */
	/* What sampling waits for tables of what runs already; 0: default. */
	uint64_t tables_wait_ns;
	/* Says that what can be left out before the start is to be; NULL: nobody asks. */
	bool (*is_to_end)(void);
};

/* Who gets what was sampled.  Called from the functions below that drain, relieve, end and stop. */
struct sampler_consumer {
	/* A stack seen for the first time in this window; the answer is the tag of its counts. */
	uint32_t (*stack)(void *ctx, const struct eddy_stack_event *ev);
	/* weight: what those samples stand for: the samples, or, when they are weighed, events. */
	void (*count)(void *ctx, uint32_t tag, uint64_t samples, uint64_t weight);
	/*
	 * With opts.times: when a sample was taken, CLOCK_MONOTONIC, and what it weighs; of those
	 * that count() tells, before that or after.  Not of all: some found no room.
	 */
	void (*time)(void *ctx, uint32_t tag, uint64_t time_ns, uint64_t weight);
	/* With opts.waits, instead: so many waits of that state at the stack, and how long. */
	void (*wait)(void *ctx, uint32_t tag, enum eddy_wait state, uint64_t waits, uint64_t ns);
	/*
	 * A file that frames name by number (EDDY_FRAME_FILE), before the first of them comes.
	 */
	void (*file)(void *ctx, uint32_t file, const struct met_file *met);
	/* That number is used no longer; it may come again for another file.  May be NULL. */
	void (*file_gone)(void *ctx, uint32_t file);
	/* With copy_all: a sample, its registers and its stack; besides being counted. */
	void (*copy)(void *ctx, const struct eddy_late_event *ev);
	/*
	 * Within a window: no tag that it was given so far will be counted any more, and stacks
	 * that are met again come again.  NULL, unless there is a max_stacks.
	 */
	void (*forget)(void *ctx);
	/* A process called exec: addresses of its old program mean nothing any more. */
	void (*exec)(void *ctx, const struct eddy_process_event *ev);
	/* A cgroup was made, with the 0 at its path's end.  May be NULL. */
	void (*cgroup)(void *ctx, const struct eddy_cgroup_event *ev);
	/*
	 * When BPF cannot be loaded: all that libbpf and the verifier said, many lines, not safe
	 * for a terminal.  From sampler_open() only; NULL: not interested.
	 */
	void (*load_log)(void *ctx, const char *text);
	void *ctx;
};

/* Loads and attaches nothing yet but checks everything; 0 or -errno with words. */
int sampler_open(const struct sampler_opts *opts, const struct sampler_consumer *consumer,
		 struct sampler **ret_sampler, struct diag *ret_diag);
void sampler_free(struct sampler *s);
DEFINE_FREE(sampler, struct sampler *, sampler_free)

/* The functions in which an idle CPU halts, at most EDDY_MAX_IDLE_RANGES; before the start. */
void sampler_set_idle(struct sampler *s, const struct eddy_range *ranges, size_t nr);
/* The kernel's tables of its own stacks; before the start, and not called where there are none. */
void sampler_set_orc(struct sampler *s, const struct eddy_orc *orc);
/*
 * When the program that a PID runs now began, CLOCK_MONOTONIC; 0: before the start.  It may be a
 * later one of another PID.  To be asked after something was read of the process: what was sampled
 * before the answer may be of an earlier program than what was read.
 */
uint64_t sampler_begun_ns(const struct sampler *s, uint32_t pid);
/*
 * The kernel's own text, and where the kernel counts BPF programs (0: not known); before the
 * start.
 */
void sampler_set_text(struct sampler *s, uint64_t start, uint64_t bytes, uint64_t bpf_seq);
/* Code has come or gone outside of it: to be called when that is learnt. */
void sampler_note_text(struct sampler *s);
/* A number that changes before a module begins to run and before one is gone. */
uint32_t sampler_module_seq(const struct sampler *s);
/*
 * Where the scheduler's __schedule() stands: frames of tracing before it are no part of a wait's
 * stack; before the start.
 */
void sampler_set_schedule(struct sampler *s, uint64_t start, uint64_t bytes);
/* Samples from here on. */
int sampler_start(struct sampler *s, struct diag *ret_diag);
/* Readable when a stack of a new process came, or when the ring fills. */
int sampler_poll_fd(const struct sampler *s);
/* Readable when unwind tables are ready; -1 when there are none.  Then drain the ring. */
int sampler_table_fd(const struct sampler *s);
/* Hands over new stacks that are there now, or many of them.  > 0: there were some. */
int sampler_drain_ring(struct sampler *s);
/* Begins an empty counts map when this one fills up, and hands over what it held. */
int sampler_relieve_counts(struct sampler *s);
/*
 * Ends the window and begins the next: everything sampled until *ret_end, and nothing sampled
 * later, has been handed over when it returns.  Takes 10 to 50 ms in which sampling
 * goes on (it waits for the kernel), and 100 ms more when samples wait for unwind tables that are
 * being made.  -errno: the window goes on.
 */
int sampler_end_window(struct sampler *s, struct instant *ret_end);
/*
 * Another rate from now on, not for tracepoints.  Those due stay right: each time counts by its own
 * rate.
 */
int sampler_set_rate(struct sampler *s, const struct capture_rate *rate, struct diag *ret_diag);
/* Since the start, up to now: time in the BPF program, and time of CPUs sampled. */
void sampler_get_cost(struct sampler *s, uint64_t *ret_bpf_ns, uint64_t *ret_enabled_ns);
/* Since the start, up to now: samples delivered, and those of them that are lost already. */
void sampler_get_progress(const struct sampler *s, uint64_t *ret_taken, uint64_t *ret_lost);
/*
 * The same, and those that found no room when they came: lost, or their stack is to be sent again.
 */
void sampler_get_squeezed(const struct sampler *s, uint64_t *ret_taken, uint64_t *ret_squeezed);
/* Follows CPUs that come and go; cheap, to be called about once a second. */
int sampler_check_cpus(struct sampler *s, struct diag *ret_diag);
/* Forgets files that were not met for some minutes; cheap, to be called about once a second. */
void sampler_age(struct sampler *s);
/*
 * The consumer has no descriptor of that file any more and needs one to name more of it: file() is
 * called again when a sample meets it.
 */
void sampler_ask_file_again(struct sampler *s, uint32_t file);
/*
 * No sample is taken after that moment of CLOCK_MONOTONIC, however late sampler_stop() is.  After
 * sampler_start().
 */
void sampler_end_at(struct sampler *s, uint64_t mono_ns);
/*
 * Ends the last window: no sample is taken after *ret_end (may be NULL), everything has been handed
 * over.
 */
int sampler_stop(struct sampler *s, struct instant *ret_end);

/*
 * Programs of others by which the kernel may have kept the sampler from running in the window that
 * ended last.
 */
const struct other_programs *sampler_other_programs(const struct sampler *s);
/* What has come on a CPU in the windows that have ended, and of that in the idle task. */
void sampler_get_cpu(const struct sampler *s, uint32_t cpu, uint64_t *ret_delivered,
		     uint64_t *ret_idle);
/* Sums over the windows that have ended; zeros before that. */
void sampler_get_stats(const struct sampler *s, struct sampler_stats *ret_stats);

#endif
