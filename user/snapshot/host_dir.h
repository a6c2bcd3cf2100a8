/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory into which one eddy writes its snapshots: DIR/HOST, made when it is not there, and
 * locked.  The lock is flock(2) on a file that stays; it names the process that holds it, and ends
 * with that process whatever becomes of it.
 */
#ifndef EDDY_SNAPSHOT_HOST_DIR_H
#define EDDY_SNAPSHOT_HOST_DIR_H

#include <stdbool.h>

#include "util/cleanup.h"
#include "util/diag.h"

#define SNAPSHOT_LOCK	   ".eddy-snapshot.lock"
#define SNAPSHOT_TEMPORARY ".eddy-snapshot.tmp"

struct host_dir {
	char *path; /* DIR/HOST, for messages */
	int fd;
	int lock_fd;
	bool is_movable; /* by others */
};

/*
 * Opens DIR/host (host is a directory's name); DIR and the directory are made, and with_parents
 * what leads to DIR.  0, or -errno with a diag: -EBUSY, naming the process, when another eddy has
 * it.
 */
int host_dir_open(const char *dir, const char *host, bool with_parents, struct host_dir **ret_dir,
		  struct diag *ret_diag);
void host_dir_free(struct host_dir *f);
DEFINE_FREE(host_dir, struct host_dir *, host_dir_free)
#define _cleanup_host_dir_ _cleanup_(host_dir_freep)

/* Is it, and is the lock, still what the path leads to?  If not, what is written here is lost. */
bool host_dir_is_there(const struct host_dir *f);
/* If not: did others move it away?  They do not choose where it goes on. */
bool host_dir_was_moved(const struct host_dir *f);

#endif
