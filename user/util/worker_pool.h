/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes for calls that somebody else can delay for as long as he likes: what a file system in
 * user space does not answer, a lock that another process holds.  Such a call may not even end by
 * SIGKILL, and neither may closing what it opened.  So they are made by workers, which are waited
 * for only so long; one that does not answer is left alone and another one takes its place.
 *
 * What a job touches has a key.  While a worker is stuck on a key its jobs are refused at once: on
 * the same file or process by the first, on a whole device by the fourth, on account of a user by
 * the eighth.  When the worker comes back, its late answer is thrown away and the key is served
 * again.
 *
 * A pool may be used by several threads at once.  NULL is a pool without processes: its jobs are
 * done at once, by the caller, for as long as it takes.
 */
#ifndef EDDY_UTIL_WORKER_POOL_H
#define EDDY_UTIL_WORKER_POOL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"
#include "util/owner.h"

struct worker_pool;

struct worker_request {
	const char *bytes;
	size_t len;
	int fds[2];		      /* the job's; closed afterwards; -1: none */
	struct worker_parser *parser; /* the worker's, see worker_parser.h; NULL: none */
	bool is_in_parser;	      /* it runs in a process made for parsing */
	bool may_map; /* files: it may die of what their owners do to them meanwhile */
};

/* All zero and fd -1 before the job. */
struct worker_answer {
	int64_t status;	 /* the job's own; by custom 0 or -errno */
	char *bytes;	 /* malloc'ed; NULL: none */
	size_t len;	 /* 16 MiB at most */
	int fd;		 /* -1: none; it does not come with more than 48 KiB */
	uint64_t cpu_ns; /* that the worker needed for it; 0 where the caller did it */
};
void worker_answer_deinit(struct worker_answer *a);
#define _cleanup_worker_answer_ _cleanup_(worker_answer_deinit)
/* What its status says by custom: -errno (-EPIPE when that is none), 0 where it is not negative. */
int worker_answer_error(const struct worker_answer *a);

/* Runs in a worker.  It must not touch what changes in the program after the pool was made. */
typedef void (*worker_fn)(const struct worker_request *request, struct worker_answer *answer);

/* What a job may get stuck on; group 0 of a key: nothing can delay it. */
struct worker_key {
	uint64_t group;	 /* a device, a process */
	uint64_t member; /* a file of that device */
	/*
	 * On whose account: of this process's owner, who is asked for when it matters; 0: owner's.
	 */
	pid_t pid;
	owner_id owner;
	/*
	 * Of who asks, at most; 0: the job's, or the pool's.  That this one was too short says
	 * nothing about the pool's.
	 */
	uint64_t patience_ns;
};

struct worker_job {
	worker_fn fn;
	struct worker_key key;
	const void *bytes; /* 8 KiB at most */
	size_t len;
	const int *fds;	      /* two, or NULL; -1: none; they stay the caller's */
	uint64_t patience_ns; /* at most; 0: as long as the pool has patience for */
	/*
	 * It touches nothing that can delay it: how long it takes says nothing about patience, and
	 * patience_ns is its own, however long.
	 */
	bool is_computing;
	bool waits_for_cpu; /* then too: see worker_pool_run() */
};

/*
 * Begins.  To be called before threads and descriptors are many: the processes are made of what the
 * program is now.  Negative errno.
 */
int worker_pool_new(struct worker_pool **ret_pool);
/* Waits for no worker. */
void worker_pool_free(struct worker_pool *p); /* NULL is fine */
DEFINE_FREE(worker_pool, struct worker_pool *, worker_pool_free)

/* From now on the processes of its jobs hurry (priority.h), or do no more. */
void worker_pool_hurry(struct worker_pool *p, bool is_urgent);
bool worker_pool_is_urgent(struct worker_pool *p);

/* Has that much patience at most from now on, instead of 300 ms: for tests, which do not hurry. */
void worker_pool_set_patience(struct worker_pool *p, uint64_t ns);

/*
 * Does a job.  0 and *ret_answer (to be released); or
 *	-ETIMEDOUT	it did not answer in time
 *	-EBUSY		refused: an earlier one of that key is stuck, or too many are
 *	-EAGAIN		refused: no worker can be made
 *	-EPIPE		its worker has died or answered with nonsense
 *
 * A pool's patience is 300 ms.  Where CPUs are busy, time in which the worker could run and had
 * none is not counted, up to ten times that.  Patience halves with each job that did not answer in
 * time, so that many keys do not take long, and doubles again when that did not happen for ten
 * seconds.
 */
int worker_pool_run(struct worker_pool *p, const struct worker_job *job,
		    struct worker_answer *ret_answer);

/* Did worker_pool_run() fail so that the same may be asked again soon: nobody has answered? */
static inline bool worker_is_stalled(int err)
{
	return err == -ETIMEDOUT || err == -EBUSY || err == -EAGAIN || err == -EPIPE;
}

struct worker_pool_stats {
	uint64_t nr_stalled; /* jobs that did not answer in time, but for those that compute */
	uint64_t nr_refused;
	uint64_t nr_died;    /* workers */
	uint64_t cpu_ns;     /* that workers have used, as far as they have told */
	uint64_t nr_stuck;   /* workers, now */
	uint64_t nr_workers; /* now, these among them */
};
void worker_pool_get_stats(struct worker_pool *p, struct worker_pool_stats *ret_stats);
/* Of *now, what has come since *before; what is "now" stays as it is. */
void worker_pool_stats_since(struct worker_pool_stats *now, const struct worker_pool_stats *before);

#endif
