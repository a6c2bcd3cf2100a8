/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of others, by way of workers (worker_pool.h): each call fails as the system call would, or
 * as worker_pool_run() when that does not answer.  The program itself has such files open with
 * O_PATH only, which asks their file systems nothing, to be closed as little as to be opened.
 */
#ifndef EDDY_UTIL_FAR_FILE_H
#define EDDY_UTIL_FAR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/worker_pool.h"

/* What delays reading of a process, and what delays a file, on account of that owner. */
struct worker_key far_process(pid_t pid);
struct worker_key far_process_of(pid_t pid, owner_id owner); /* whose it is known to be */
struct worker_key far_inode(uint64_t dev, uint64_t ino, owner_id owner);

struct far_stat {
	uint64_t dev, ino, bytes, mtime_ns;
	uint32_t uid;
	owner_id owner; /* of who is to account for it; far_stat() and others: the file's */
	bool is_regular;
	bool is_public; /* everybody may read it */
};

/*
 * A descriptor by O_PATH; what it is of is not asked, unless ret_stat is given: then -EINVAL when
 * it is not a regular file.  Links are followed: for paths that are the system's.
 */
int far_open(struct worker_pool *p, const struct worker_key *key, const char *path,
	     struct far_stat *ret_stat);

/* A path as it is meant in another root, see root_path.h. */
struct far_path {
	const char *root; /* "" is our own */
	const char *path; /* absolute */
};
/*
 * A descriptor by O_PATH of a regular file that others may exchange: of no link, and of nothing
 * that is outside of that root.  *stat has the device and inode that it must have (device 0: any),
 * and is that of the file afterwards.  -ESTALE when it is another file, -EINVAL when it is no
 * regular one.
 */
int far_open_regular(struct worker_pool *p, const struct worker_key *key,
		     const struct far_path *path, struct far_stat *stat);
/* Of an open file, or of a path. */
int far_stat(struct worker_pool *p, const struct worker_key *key, int fd,
	     struct far_stat *ret_stat);
int far_stat_path(struct worker_pool *p, const struct worker_key *key, const char *path,
		  struct far_stat *ret_stat);
/* How many bytes were read, at most 1 MiB; fewer than asked for at the end only. */
ssize_t far_read(struct worker_pool *p, const struct worker_key *key, int fd, void *buf, size_t len,
		 uint64_t offset);
struct far_maps {
	char *text; /* the caller's to free; NULL when there is none */
	size_t len;
	uint64_t cpu_ns; /* what it cost the worker */
};
/*
 * The lines of a process's maps that are executable, of at most 16 MiB.  How many lines there were
 * of any kind, or -errno.
 */
int far_maps(struct worker_pool *p, const struct worker_key *key, const char *path,
	     struct far_maps *ret_maps);

/* In a worker: what is told of an open file. */
int far_stat_here(int fd, struct far_stat *ret_stat);

#endif
