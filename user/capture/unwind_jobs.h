/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files on their way to an unwind table.  Threads have each of them copied and build its table;
 * they may be held up for as long as worker_pool.h has patience, and who asks is not.
 */
#ifndef EDDY_CAPTURE_UNWIND_JOBS_H
#define EDDY_CAPTURE_UNWIND_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/mapping_open.h"
#include "sampler_abi.h"
#include "unwind/unwind_table.h"
#include "util/process_root.h"

struct unwind_job {
	struct unwind_job *next;
	struct eddy_file_event ev;
	uint32_t id;		    /* the asker's */
	owner_id owner;		    /* of the process that has it mapped */
	int fd;			    /* by O_PATH */
	struct process_root *root;  /* of that process; NULL: ours */
	int err;		    /* 0, or of mapping_read(), unwind_table_parse() */
	struct mapped_copy copy;    /* its descriptor is closed already */
	struct unwind_table *table; /* of the file; NULL: none */
	bool is_unparsed;	    /* there might be one: unwind_table_parse() gave -EACCES */
	bool is_early;		    /* nobody asked for it: id is 0, and fd and copy are there */
	uint64_t retry_at_ns;	    /* the asker's */
};
void unwind_job_free(struct unwind_job *job);

/* First in, first out; all zero but for unwind_queue_init(). */
struct unwind_queue {
	struct unwind_job *head, **tail;
};
void unwind_queue_init(struct unwind_queue *q);
void unwind_queue_put(struct unwind_queue *q, struct unwind_job *job);
struct unwind_job *unwind_queue_take(struct unwind_queue *q); /* NULL: empty */

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

/*
 * Are so many on their way that no more of an owner's are taken, or can none be?  Owners share the
 * places, and the threads' time: next is the job of the one who had least of it lately.  Nobody has
 * two done at once, so that no file of one owner, however long it takes, is waited for by others.
 */
bool unwind_jobs_are_full(struct unwind_jobs *j, owner_id owner);
/* fd, of mapping_open(), and the reference of the process's root (NULL: ours) are taken over. */
void unwind_jobs_add(struct unwind_jobs *j, const struct asked_mapping *asked, uint32_t id, int fd,
		     struct process_root *root);
/* The next that is through, the caller's from now on; NULL: none. */
struct unwind_job *unwind_jobs_take(struct unwind_jobs *j);
/* Those that were added and not taken; none of the early ones. */
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
