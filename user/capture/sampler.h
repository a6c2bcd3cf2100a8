/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler's life: sampler_open -> sampler_start -> poll sampler_poll_fd(): sampler_drain_ring,
 * now and then sampler_drain_counts -> sampler_stop -> sampler_get_stats -> sampler_free.
 *
 * Each sample ends in exactly one place: idle, filtered, kept (handed to the consumer as a count
 * or a spilled stack), or lost under one reason.  The identity
 *	delivered == idle + filtered + kept + sum of lost[]
 * holds exactly after sampler_stop().
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
	uint64_t max_table_bytes; /* kernel memory for unwind tables; 0: default */
	uint64_t map_bytes;	  /* kernel memory for the counts map; 0: default */
	uint64_t ring_bytes;	  /* 0: by number of CPUs */
};

/* Who gets what was sampled.  Called from sampler_drain_*() and sampler_stop() only. */
struct sampler_consumer {
	/* A stack seen for the first time; the answer is the tag that counts come with. */
	uint32_t (*stack)(void *ctx, const struct eddy_stack_event *ev);
	void (*count)(void *ctx, uint32_t tag, uint64_t samples);
	/*
	 * A file that frames name by number (EDDY_FRAME_FILE), before the first of them comes.  fd
	 * is the consumer's to close.
	 */
	void (*file)(void *ctx, uint32_t file, int fd, const char *path);
	/* With copy_all: a sample, its registers and its stack; besides being counted. */
	void (*copy)(void *ctx, const struct eddy_late_event *ev);
	/* A process called exec: addresses of its old program mean nothing any more. */
	void (*exec)(void *ctx, const struct eddy_process_event *ev);
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
	uint64_t late;		   /* kept, walked in user space when a table had come */
	uint64_t throttled;	   /* times the kernel held an event back for a tick */
	uint64_t enabled_ns;	   /* summed over CPUs */
	uint64_t running_ns;	   /* less than enabled_ns when counters were shared */
	uint64_t nr_cpus;	   /* CPUs that were sampled at any time */
	uint64_t bpf_runs, bpf_ns; /* 0 when the kernel does not count them */
	uint64_t bpf_misses;	   /* runs the kernel skipped: another program was on the CPU */
	uint64_t nr_stacks;	   /* distinct stacks met */
	uint64_t nr_rotations;	   /* times a full counts map was replaced by a new one */
	uint64_t user_bytes;	   /* memory of the table of stacks */
	struct unwind_loader_stats tables; /* zero when there are none */
};

/* Loads and attaches nothing yet but checks everything; 0 or -errno with words. */
int sampler_open(const struct sampler_opts *opts, const struct sampler_consumer *consumer,
		 struct sampler **ret_sampler, struct diag *ret_diag);
void sampler_free(struct sampler *s);
DEFINE_FREE(sampler, struct sampler *, sampler_free)

/* The functions in which an idle CPU halts, at most EDDY_MAX_IDLE_RANGES; before the start. */
void sampler_set_idle(struct sampler *s, const struct eddy_range *ranges, size_t nr);
/* Samples from here on. */
int sampler_start(struct sampler *s, struct diag *ret_diag);
/* Readable when a stack of a new process came, or when the ring fills. */
int sampler_poll_fd(const struct sampler *s);
/* Readable when unwind tables are ready; -1 when there are none.  Then drain the ring. */
int sampler_table_fd(const struct sampler *s);
/* Hands over the new stacks that are there now.  > 0: there were some. */
int sampler_drain_ring(struct sampler *s);
/* Hands over what was counted since the last call, and does the below. */
int sampler_drain_counts(struct sampler *s);
/* Replaces the counts map when it fills up, and hands over what the old one held. */
int sampler_relieve_counts(struct sampler *s);
/* Follows CPUs that come and go; cheap, to be called about once a second. */
int sampler_check_cpus(struct sampler *s, struct diag *ret_diag);
/* No sample is taken after this; everything counted has been handed over. */
int sampler_stop(struct sampler *s);

void sampler_get_stats(struct sampler *s, struct sampler_stats *ret_stats);

#endif
