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
#include "capture/unwind_loader.h"
#include "sampler_abi.h"
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
	uint32_t identity; /* enum eddy_identity: what to tell apart besides pid and comm */
	uint32_t max_user_frames;
	enum eddy_unwind_how unwind;
	bool copy_all; /* every user stack comes with a copy of its memory; for checks, it is dear
			*/
	bool check_kernel;	  /* every kernel stack that was walked is compared; for checks */
	uint64_t max_table_bytes; /* kernel memory for unwind tables; 0: default */
	uint64_t map_bytes;	  /* kernel memory for the counts map; 0: default */
	uint64_t ring_bytes;	  /* 0: by number of CPUs */
};

/* Who gets what was sampled.  Called from the functions below that drain, relieve, end and stop. */
struct sampler_consumer {
	/* A stack seen for the first time in this window; the answer is the tag of its counts. */
	uint32_t (*stack)(void *ctx, const struct eddy_stack_event *ev);
	void (*count)(void *ctx, uint32_t tag, uint64_t samples);
	/*
	 * A file that frames name by number (EDDY_FRAME_FILE), before the first of them comes.  fd
	 * is the consumer's to close.
	 */
	void (*file)(void *ctx, uint32_t file, int fd, const char *path);
	/* That number is used no longer; it may come again for another file.  May be NULL. */
	void (*file_gone)(void *ctx, uint32_t file);
	/* With copy_all: a sample, its registers and its stack; besides being counted. */
	void (*copy)(void *ctx, const struct eddy_late_event *ev);
	/* A process called exec: addresses of its old program mean nothing any more. */
	void (*exec)(void *ctx, const struct eddy_process_event *ev);
	/*
	 * When BPF cannot be loaded: all that libbpf and the verifier said, many lines, not safe
	 * for a terminal.  From sampler_open() only; NULL: not interested.
	 */
	void (*load_log)(void *ctx, const char *text);
	void *ctx;
};

enum sampler_loss {
	SAMPLER_LOST_MAP_FULL,
	SAMPLER_LOST_MAP_BUSY,
	SAMPLER_LOST_RING_FULL, /* counted, but the stack itself never got through the ring */
	NR_SAMPLER_LOSSES
};
const char *sampler_loss_name(enum sampler_loss loss); /* "map-full", ... */

struct sampler_stats {
	uint64_t due; /* by the events' own enabled time (or count); see due_is_known */
	bool due_is_known;
	uint64_t delivered, idle, filtered, kept;
	uint64_t lost[NR_SAMPLER_LOSSES];
	uint64_t spilled, hash_conflicts, ring_retries;
	uint64_t late; /* kept, walked in user space when a table had come */
	/* kernel stacks walked by eddy, those compared with the kernel's own, those that differed
	 */
	uint64_t kernel_walked, kernel_checked, kernel_differed;
	uint64_t throttled;  /* times the kernel held an event back for a tick */
	uint64_t enabled_ns; /* summed over CPUs */
	uint64_t running_ns; /* less than enabled_ns when counters were shared */
	uint64_t nr_cpus;    /* CPUs that were sampled at any time */
	/*
	 * By the kernel, or, where it may not be asked to, by the program: then the samples
	 * delivered, without the kernel's own work around each.
	 */
	uint64_t bpf_runs, bpf_ns;
	uint64_t bpf_misses;   /* runs the kernel skipped: another program was on the CPU */
	uint64_t nr_stacks;    /* distinct stacks met, in each window anew */
	uint64_t nr_rotations; /* times a full counts map was replaced by an empty one */
	uint64_t user_bytes;   /* memory of the table of stacks, now */
	struct unwind_loader_stats tables; /* zero when there are none */
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
/* Samples from here on. */
int sampler_start(struct sampler *s, struct diag *ret_diag);
/* Readable when a stack of a new process came, or when the ring fills. */
int sampler_poll_fd(const struct sampler *s);
/* Readable when unwind tables are ready; -1 when there are none.  Then drain the ring. */
int sampler_table_fd(const struct sampler *s);
/* Hands over the new stacks that are there now.  > 0: there were some. */
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
/* Follows CPUs that come and go; cheap, to be called about once a second. */
int sampler_check_cpus(struct sampler *s, struct diag *ret_diag);
/* Forgets files that were not met for some minutes; cheap, to be called about once a second. */
void sampler_age(struct sampler *s);
/* Ends the last window: no sample is taken after this, everything has been handed over. */
int sampler_stop(struct sampler *s);

/* Sums over the windows that have ended; zeros before that. */
void sampler_get_stats(const struct sampler *s, struct sampler_stats *ret_stats);
/* Of *now, what has come since *before (sums); the rest (nr_cpus, memory) stays as it is. */
void sampler_stats_since(struct sampler_stats *now, const struct sampler_stats *before);

#endif
