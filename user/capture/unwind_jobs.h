/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files on their way to an unwind table.  Threads open them, each by asking a process that has it
 * mapped, and others have them copied and build their tables: owner_jobs.h says in what order.  All
 * of them may be held up, and who asks is not.
 */
#ifndef EDDY_CAPTURE_UNWIND_JOBS_H
#define EDDY_CAPTURE_UNWIND_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/mapping_open.h"
#include "sampler_abi.h"
#include "unwind/unwind_table.h"
#include "util/owner_jobs.h"
#include "util/process_root.h"

struct unwind_job {
	struct owner_job job;	 /* on account of the process that has it mapped */
	struct unwind_job *next; /* for who has it */
	struct eddy_file_event ev;
	bool is_opened;		   /* and no more: it gets a number, and is to be built */
	uint32_t id;		   /* the asker's */
	int fd;			   /* by O_PATH */
	struct process_root *root; /* of that process; NULL: ours */
	int err;		 /* 0, or of mapping_open(), mapping_read(), unwind_table_parse() */
	struct mapped_copy copy; /* its descriptor is closed already */
	struct unwind_table *table; /* of the file; NULL: none */
	bool is_unparsed;	    /* there might be one: unwind_table_parse() gave -EACCES */
	bool is_early;		    /* nobody asked for it: id is 0, and fd and copy are there */
	uint64_t retry_at_ns;	    /* the asker's */
};
void unwind_job_free(struct unwind_job *job);

struct unwind_jobs;

/* Files are watched by those descriptors, which stay the caller's.  Negative errno. */
int unwind_jobs_new(struct worker_pool *pool, const struct file_watch_fds *watch,
		    struct unwind_jobs **ret_jobs);
void unwind_jobs_free(struct unwind_jobs *j); /* NULL is fine; ends the threads */

/*
 * Begins to read what processes have mapped executable now, in a thread of its own; it stops when
 * is_to_end says so (NULL: nobody asks).  What it has read is taken as what was asked for is; it
 * waits where much is not taken.
 */
void unwind_jobs_begin_early(struct unwind_jobs *j, bool (*is_to_end)(void));
/* Has it been through, or was it not begun?  Then all of it can be taken. */
bool unwind_jobs_early_is_over(struct unwind_jobs *j);

/* Are so many on their way that no more of an owner's are taken?  Owners share the places. */
bool unwind_jobs_are_full(struct unwind_jobs *j, owner_id owner);
/*
 * Begins with a file, for its process may end.  One that could be opened at once, or could not be,
 * and is the caller's; NULL: it is to be taken when it is.
 */
struct unwind_job *unwind_jobs_open(struct unwind_jobs *j, const struct eddy_file_event *ev,
				    owner_id owner);
/* Goes on with one that was opened. */
void unwind_jobs_build(struct unwind_jobs *j, struct unwind_job *job);
/* The next that is opened, or through, the caller's from now on; NULL: none. */
struct unwind_job *unwind_jobs_take(struct unwind_jobs *j);
/* Those that were begun or gone on with, and not taken; none of the early ones. */
size_t unwind_jobs_nr(const struct unwind_jobs *j);
/* Readable when there is something to take. */
int unwind_jobs_fd(const struct unwind_jobs *j);

/*
 * The table of a file that was copied, by a parser; NULL when there is no copy.  0, -EACCES when
 * the parser did not survive it, took too long or answered with nonsense, or -EAGAIN, -EBUSY: no
 * parser.
 */
int unwind_table_parse(struct worker_pool *pool, const struct mapped_copy *copy,
		       struct unwind_table **ret_table);

#endif
