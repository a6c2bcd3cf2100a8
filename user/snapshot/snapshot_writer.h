/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that writes windows, and the queue of those that wait for it.  A disk may take seconds
 * for one fsync; sampling cannot wait so long, for new stacks would not fit the ring (figures:
 * docs/FIGURES.md).  The two threads share the queue and nothing else.
 *
 * While the directory cannot be written the queue grows, and is tried again with each new window
 * and every few seconds.  When it takes more than it may (snapshot_limits_queue_bytes()), what the
 * window needs included that is being written, its two oldest windows are merged, again and again;
 * should one window alone be too large, its stacks lose detail, and if that is not enough it keeps
 * its numbers and loses its stacks.
 */
#ifndef EDDY_SNAPSHOT_SNAPSHOT_WRITER_H
#define EDDY_SNAPSHOT_SNAPSHOT_WRITER_H

#include <stdint.h>

#include "snapshot/snapshot_store.h"
#include "util/cleanup.h"

struct snapshot_writer;

/* What the writer has to tell: called from snapshot_writer_poll() and _stop() only. */
typedef void (*snapshot_message_fn)(const char *text);

/* Starts the thread.  The store is used by it alone until snapshot_writer_free(), and not owned. */
int snapshot_writer_new(struct snapshot_store *store, uint64_t max_queue_bytes,
			snapshot_message_fn message, struct snapshot_writer **ret_writer,
			struct diag *ret_diag);
/* Ends the thread, whatever waits. */
void snapshot_writer_free(struct snapshot_writer *w);
DEFINE_FREE(snapshot_writer, struct snapshot_writer *, snapshot_writer_free)
#define _cleanup_snapshot_writer_ _cleanup_(snapshot_writer_freep)

/* Takes the window; does not wait for the disk. */
void snapshot_writer_submit(struct snapshot_writer *w, struct snapshot_window *window);
/* To be called about once a second: hands over messages, one when trouble begins, one at its end.
 */
void snapshot_writer_poll(struct snapshot_writer *w);
/* New limits, max_memory_bytes among them. */
void snapshot_writer_set_limits(struct snapshot_writer *w, const struct snapshot_limits *limits);

struct snapshot_totals {
	uint64_t nr_files;	       /* written */
	uint64_t nr_unwritten;	       /* windows that are still in memory */
	uint64_t unwritten_samples;    /* in them */
	struct snapshot_losses losses; /* of those that are written */
};

/*
 * Waits until each window has been written, or tried once more; the thread has ended then.  What
 * cannot be written is counted, its cause in *ret_why (untouched when there is none).
 */
void snapshot_writer_stop(struct snapshot_writer *w, struct snapshot_totals *ret_totals,
			  struct diag *ret_why);

#endif
