/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which snapshots a directory holds, and which of them have to go: the oldest first, by number,
 * bytes and age, and never the newest.  The directory is read once; then the list is kept.  Files
 * that others removed are noticed when their turn comes, files that others added when it is read
 * again.
 *
 * Only names of snapshots count (archive/snapshot_name.h), and only plain files: nothing else is
 * ever removed, but for a json whose snapshot is not there, which is what a crash leaves.
 */
#ifndef EDDY_SNAPSHOT_SNAPSHOT_RETENTION_H
#define EDDY_SNAPSHOT_SNAPSHOT_RETENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot_limits.h"
#include "archive/snapshot_name.h"

struct retained {
	struct snapshot_name name;
	uint64_t bytes; /* with its json; 0 when sizes were not asked for */
};

/* All zero: an empty directory. */
struct snapshot_retention {
	struct retained *files; /* [first, nr), the oldest first */
	size_t first, nr, cap;
	uint64_t bytes;
	bool has_bytes; /* sizes are known */
};

/*
 * Reads the directory anew and removes json without a snapshot.  One directory read, and with_bytes
 * a look at each file besides.  0 or -errno; then the list is empty.
 */
int snapshot_retention_read(struct snapshot_retention *r, int dir, bool with_bytes);
void snapshot_retention_deinit(struct snapshot_retention *r);

/* What a snapshot takes in the directory, with its json; of what is not there 0. */
uint64_t snapshot_bytes(int dir, const struct snapshot_name *name);

/* A file was written. */
void snapshot_retention_add(struct snapshot_retention *r, const struct snapshot_name *name,
			    uint64_t bytes);
/* How many files there are. */
size_t snapshot_retention_nr(const struct snapshot_retention *r);

/*
 * Removes what is over a limit; keep_bytes needs sizes.  0, or -errno when a file cannot be
 * removed: the next call tries again.
 */
int snapshot_retention_apply(struct snapshot_retention *r, int dir,
			     const struct snapshot_limits *limits, int64_t now_s);

#endif
