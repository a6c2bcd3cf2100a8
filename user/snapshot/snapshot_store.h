/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows to files of the directory, and old files out of it.  Each file appears whole or not at
 * all: the json first, then the snapshot, each written under one temporary name, synced and
 * renamed.  A process that is killed leaves at most that temporary, and a json without its
 * snapshot; opening the directory again removes both.
 */
#ifndef EDDY_SNAPSHOT_SNAPSHOT_STORE_H
#define EDDY_SNAPSHOT_SNAPSHOT_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/passes.h"
#include "snapshot/snapshot_limits.h"
#include "snapshot/snapshot_window.h"
#include "util/diag.h"

struct snapshot_store;

struct snapshot_store_opts {
	const char *dir;
	const char *host; /* the directory's name */
	bool is_gzip;
	const struct passes *passes; /* what is done to the stacks before they are written */
	struct snapshot_limits limits;
};

/*
 * Makes, locks, tidies and reads the directory.  dir, host and passes must outlive the store.  0 or
 * -errno with a diag; -EBUSY when another eddy writes there.
 */
int snapshot_store_open(const struct snapshot_store_opts *opts, struct snapshot_store **ret_store,
			struct diag *ret_diag);
void snapshot_store_free(struct snapshot_store *s);
DEFINE_FREE(snapshot_store, struct snapshot_store *, snapshot_store_free)
#define _cleanup_snapshot_store_ _cleanup_(snapshot_store_freep)

/*
 * Writes a window.  A directory that has vanished is made and locked again.  0, or -errno with a
 * diag: then nothing of it is there and it may be tried again.  Old files go in both cases.
 */
int snapshot_store_write(struct snapshot_store *s, struct snapshot_window *w,
			 struct diag *ret_diag);
/* New limits; the directory is read again, so files that others put there count from now on. */
void snapshot_store_set_limits(struct snapshot_store *s, const struct snapshot_limits *limits);

/* DIR/HOST, as messages name it. */
const char *snapshot_store_path(const struct snapshot_store *s);

#endif
