/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are written again in place: same inode, same generation, other code.  Nothing that the
 * sampler can read of a mapping tells, so the kernel is asked to say it (inotify(7)), by inode and
 * without keeping the file open.
 *
 * Told when a writer closes the file.  Not seen: what is written through a mapping, on another
 * machine of a network file system, or beyond the kernel's limit of watches.
 */
#ifndef EDDY_CAPTURE_FILE_WATCH_H
#define EDDY_CAPTURE_FILE_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "unwind_abi.h"

struct file_watch;

/* A watch that cannot be had (limits) watches nothing; never NULL. */
struct file_watch *file_watch_new(void);
void file_watch_free(struct file_watch *w); /* NULL is fine */

/* Watches the open file, which is known as key; fd stays the caller's and may be closed. */
void file_watch_add(struct file_watch *w, const struct eddy_unwind_key *key, int fd);
void file_watch_remove(struct file_watch *w, const struct eddy_unwind_key *key);
size_t file_watch_nr(const struct file_watch *w);

typedef void (*file_changed_fn)(void *ctx, const struct eddy_unwind_key *key);
/*
 * Tells of each file that was written since, at most once a second for one file; it is watched
 * further.  One system call when nothing happened.  The callback must not use w.
 */
void file_watch_poll(struct file_watch *w, uint64_t now_s, file_changed_fn changed, void *ctx);

#endif
