/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs done by threads, each on account of an owner.  They may be held up for as long as
 * worker_pool.h has patience, or compute for seconds; who gives them out is not.
 *
 * Owners share the threads' time: next is the job of the one who had least of it lately.  Nobody
 * has two done at once, so that with two threads no job of one owner, however long it takes, is
 * waited for by all others.  Those of one owner are done in the order in which they were given out.
 *
 * What has to be done at once, for its process may end, is done at once by who gives it out, as
 * long as its owner is quick: a thread is there too late for half of the programs that live for
 * some milliseconds.  An owner is slow for ten seconds after a job of his that took 20 ms by the
 * clock, or 5 ms of a CPU, and while all of his took more than a twentieth of the time lately.  The
 * system is never slow.
 */
#ifndef EDDY_UTIL_OWNER_JOBS_H
#define EDDY_UTIL_OWNER_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/owner.h"
#include "util/worker_pool.h"

#define OWNER_JOBS_MAX_THREADS 4
#define OWNER_JOBS_AT_ONCE_NS  50000000ull /* the patience of jobs that are run at once */

/* The begin of whatever the giver's job is. */
struct owner_job {
	struct owner_job *next; /* not the giver's */
	owner_id owner;
	uint64_t cpu_ns; /* that it took, where it says so */
};

struct owner_jobs_opts {
	unsigned int nr_threads;
	struct worker_pool *pool; /* threads hurry as long as its processes do; NULL: never */
	/* By a thread; at_once: by who gives it out, whom it must not hold up for long. */
	void (*run)(void *ctx, struct owner_job *job, bool at_once);
	void (*drop)(struct owner_job *job); /* of jobs that nobody took */
	void *ctx;
	struct owner_jobs *done_in; /* where those that are done are to be taken; NULL: here */
};

struct owner_jobs;

/* Begins without threads: the first job makes them.  Negative errno. */
int owner_jobs_new(const struct owner_jobs_opts *opts, struct owner_jobs **ret_jobs);
/* Ends the threads, each after the job that it is at.  NULL is fine. */
void owner_jobs_free(struct owner_jobs *j);

/* Takes a job over.  Where no thread can be made it is run at once. */
void owner_jobs_add(struct owner_jobs *j, struct owner_job *job);
/* Where its owner is quick, runs it at once: true, and it stays the caller's.  Else as above. */
bool owner_jobs_add_pressing(struct owner_jobs *j, struct owner_job *job);
/* One that is done already: it is to be taken like the others.  By any thread. */
void owner_jobs_add_done(struct owner_jobs *j, struct owner_job *job);
/* The next that is done, the caller's from now on; NULL: none. */
struct owner_job *owner_jobs_take(struct owner_jobs *j);
/* Readable when there is something to take, or after owner_jobs_tell(), until nothing was taken. */
int owner_jobs_fd(const struct owner_jobs *j);
/* For who polls: there is something to look at.  By any thread. */
void owner_jobs_tell(struct owner_jobs *j);

#endif
