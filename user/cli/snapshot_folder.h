/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder into which one eddy writes its snapshots: DIR/HOST, made when it is not there, and
 * locked.  The lock is flock(2) on a file that stays; it names the process that holds it, and ends
 * with that process whatever becomes of it.
 */
#ifndef EDDY_CLI_SNAPSHOT_FOLDER_H
#define EDDY_CLI_SNAPSHOT_FOLDER_H

#include <stdbool.h>

#include "util/cleanup.h"
#include "util/diag.h"

#define SNAPSHOT_LOCK	   ".eddy-snapshot.lock"
#define SNAPSHOT_TEMPORARY ".eddy-snapshot.tmp"

struct snapshot_folder {
	char *path; /* DIR/HOST, for messages */
	int fd;
	int lock_fd;
};

/*
 * Opens DIR/host (host is a folder's name); DIR and the folder are made, and with_parents what
 * leads to DIR.  0, or -errno with a diag: -EBUSY, naming the process, when another eddy has it.
 */
int snapshot_folder_open(const char *dir, const char *host, bool with_parents,
			 struct snapshot_folder **ret_folder, struct diag *ret_diag);
void snapshot_folder_free(struct snapshot_folder *f);
DEFINE_FREE(snapshot_folder, struct snapshot_folder *, snapshot_folder_free)
#define _cleanup_snapshot_folder_ _cleanup_(snapshot_folder_freep)

/* Is it, and is the lock, still what the path leads to?  If not, what is written here is lost. */
bool snapshot_folder_is_there(const struct snapshot_folder *f);

#endif
