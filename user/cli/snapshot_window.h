/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window that has ended and is on its way to a file.  It shares nothing with the capture it comes
 * from: its profile has a frame table of its own (struct capture_window, cli/capture_run.h), so the
 * thread that writes may have it while sampling goes on.
 */
#ifndef EDDY_CLI_SNAPSHOT_WINDOW_H
#define EDDY_CLI_SNAPSHOT_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "input/snapshot_name.h"
#include "output/sidecar_sum.h"
#include "profile/profile.h"
#include "util/cleanup.h"

struct snapshot_window {
	struct snapshot_window *next; /* for those who queue them */
	struct profile *profile;
	struct sidecar_sum *sidecar;
	uint64_t lasted_ms;    /* suspended or not, whatever was done to the clock meanwhile */
	uint32_t nr_windows;   /* that were merged into this one */
	int err;	       /* why it could not be written; 0: it was not tried, or nothing */
	uint64_t failed_at_ms; /* the first time, CLOCK_BOOTTIME */
};

/*
 * Takes the profile, copies the sidecar; lasted_ms is the window's length by a clock that nobody
 * sets and that goes on while the machine is suspended.
 */
struct snapshot_window *snapshot_window_new(struct profile *profile, const struct sidecar *sidecar,
					    uint64_t lasted_ms);
void snapshot_window_free(struct snapshot_window *w);
DEFINE_FREE(snapshot_window, struct snapshot_window *, snapshot_window_free)
#define _cleanup_snapshot_window_ _cleanup_(snapshot_window_freep)

/* Adds the window that followed it. */
void snapshot_window_merge(struct snapshot_window *w, const struct snapshot_window *next);
/* Memory held. */
size_t snapshot_window_bytes(const struct snapshot_window *w);
/*
 * The last resort against windows that grow without bound: all stacks become one line,
 * "[lost:window-memory]", and the sidecar counts their samples as lost.
 */
void snapshot_window_forget_stacks(struct snapshot_window *w);

/* The file's name; nr as snapshot_name_format() wants it. */
void snapshot_window_name(const struct snapshot_window *w, bool is_gzip, uint32_t nr,
			  struct snapshot_name *ret_name);

#endif
