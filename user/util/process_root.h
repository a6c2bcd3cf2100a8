/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The root of a process that has another one than we (a container, chroot(2)), held by a
 * descriptor: what is looked for in it can be looked for when the process has ended.
 */
#ifndef EDDY_UTIL_PROCESS_ROOT_H
#define EDDY_UTIL_PROCESS_ROOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/cleanup.h"
#include "util/far_file.h"

struct process_root;

/*
 * The root of a process, with one reference; NULL when it is our own, when it cannot be known, or
 * when it is not answered for in time.  `root` stands before /proc.  That a process has our own is
 * told without a worker, unless it has mounts of its own.
 */
struct asked_root {
	const char *root;
	pid_t pid;
	owner_id owner;	      /* the process's */
	uint64_t patience_ns; /* at most, for each question; 0: as long as the pool has */
};
struct process_root *process_root_open(struct worker_pool *pool, const struct asked_root *asked);
struct process_root *process_root_ref(struct process_root *r); /* returns r; NULL is fine */
void process_root_unref(struct process_root *r);	       /* NULL is fine */
DEFINE_FREE(process_root, struct process_root *, process_root_unref)

/* The directory, by O_PATH; it stays the root's.  -1: of NULL. */
int process_root_fd(const struct process_root *r);
/* A path that /proc shows us, as it is meant in that root; part of `path`, or "" when outside. */
const char *process_root_path(const struct process_root *r, const char *path);
/*
 * Is the first user root in the process's user namespace, and the second one of its users?  Then
 * whatever is the second one's is the first one's too.
 */
bool process_root_rules(const struct process_root *r, uint32_t uid, uint32_t other_uid);

/* A file as it was met in a process, handed from layer to layer. */
struct met_file {
	int fd;			     /* by O_PATH will do; the receiver's to close */
	const struct far_stat *stat; /* what is known of it; NULL: nothing yet */
	const char *path;
	struct process_root *root; /* of the process, who keeps it refers to it; NULL: ours */
};

#endif
