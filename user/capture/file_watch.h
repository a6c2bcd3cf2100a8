/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are written again in place: same inode, same generation, other code.  Nothing that the
 * sampler can read of a mapping tells, so the kernel is asked to say it (inotify(7)), by inode and
 * without keeping the file open.
 *
 * Told when a writer closes the file.  Not seen: what is written through a mapping, on another
 * machine of a network file system, or beyond the limit of watches: 16 384, or what the kernel has.
 * Queues share those (util/fair_share.h): of the one that has most beyond its share the first half
 * makes way, and is counted.
 *
 * The kernel keeps so many events and forgets the rest.  Whoever writes enough may so hide what
 * happened to other files: to those of the same queue, of which the system's files have one of
 * their own and those of users a few.  When a queue has overflown, all its files count as written.
 */
#ifndef EDDY_CAPTURE_FILE_WATCH_H
#define EDDY_CAPTURE_FILE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind_abi.h"
#include "util/owner.h"

#define FILE_WATCH_QUEUES	 8
#define FILE_WATCH_SYSTEM	 0  /* the queue of the system's files */
#define FILE_WATCH_OVERFLOW_REST 10 /* seconds, at least, between two such looks at all files */

struct file_watch;

/* A watch that cannot be had (limits) watches nothing; never NULL. */
struct file_watch *file_watch_new(void);
void file_watch_free(struct file_watch *w); /* NULL is fine */

/* The queues' descriptors, which stay what they are; -1: there is none. */
struct file_watch_fds {
	int fd[FILE_WATCH_QUEUES];
};
const struct file_watch_fds *file_watch_fds(const struct file_watch *w);
/* The queue for files of an owner. */
unsigned int file_watch_queue(owner_id owner);

/*
 * Begins to watch an open file, which stays the caller's and may be closed: may be delayed by the
 * file's file system, and needs nothing but the descriptors.  The number of the watch, or -errno.
 */
int file_watch_begin(int queue_fd, int fd);
/* And what the file is known as; -ENOSPC is counted, and makes others make way. */
void file_watch_put(struct file_watch *w, const struct eddy_unwind_key *key, unsigned int queue,
		    int watch);
void file_watch_remove(struct file_watch *w, const struct eddy_unwind_key *key);
size_t file_watch_nr(const struct file_watch *w);
/* Files that were not watched, or are not any more, since there are too many. */
uint64_t file_watch_nr_refused(const struct file_watch *w);
/* Gives back room that is not needed: to be called now and then. */
void file_watch_fit(struct file_watch *w);

/* is_seen: it was written; else it may have been, the queue has overflown. */
typedef void (*file_changed_fn)(void *ctx, const struct eddy_unwind_key *key, bool is_seen);
/*
 * Tells of each file that was written since, at most once a second for one file; it is watched
 * further.  One system call when nothing happened.  The callback must not use w.
 */
void file_watch_poll(struct file_watch *w, uint64_t now_s, file_changed_fn changed, void *ctx);

#endif
