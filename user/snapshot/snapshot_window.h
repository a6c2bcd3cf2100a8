/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window that has ended and is on its way to a file.  It shares nothing with the capture it comes
 * from: its profile has a frame table of its own (struct capture_window, run/capture_run.h), so the
 * thread that writes may have it while sampling goes on.  Its base frames say whose stacks are
 * (profile/profile_trim.h).
 */
#ifndef EDDY_SNAPSHOT_SNAPSHOT_WINDOW_H
#define EDDY_SNAPSHOT_SNAPSHOT_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "archive/snapshot_name.h"
#include "archive/sidecar_merge.h"
#include "profile/profile.h"
#include "util/cleanup.h"

struct snapshot_span {
	uint64_t start_ms, end_ms; /* since 1970, by the clock */
	uint64_t lasted_ms;	   /* suspended or not, whatever was done to the clock meanwhile */
};

struct snapshot_window {
	struct snapshot_window *next; /* for those who queue them */
	struct profile *profile;
	struct sidecar_merge *sidecar;
	struct snapshot_span span;
	uint32_t nr_windows;   /* that were merged into this one */
	int err;	       /* why it could not be written; 0: it was not tried, or nothing */
	uint64_t failed_at_ms; /* the first time, CLOCK_BOOTTIME */
};

/* Takes the profile and the sidecar (run/account_sidecar.h). */
struct snapshot_window *snapshot_window_new(struct profile *profile, struct json *sidecar,
					    const struct snapshot_span *span);
void snapshot_window_free(struct snapshot_window *w);
DEFINE_FREE(snapshot_window, struct snapshot_window *, snapshot_window_free)
#define _cleanup_snapshot_window_ _cleanup_(snapshot_window_freep)

/* Adds the window that followed it. */
void snapshot_window_merge(struct snapshot_window *w, const struct snapshot_window *next);
/* Memory held. */
size_t snapshot_window_bytes(const struct snapshot_window *w);
/* What writing it takes besides: passes make new profiles of its frames. */
size_t snapshot_window_bytes_to_write(const struct snapshot_window *w);
/* Makes it fit, by detail of stacks (profile/profile_trim.h); the json says so. */
void snapshot_window_trim(struct snapshot_window *w, size_t max_bytes);
/*
 * The last resort against windows that grow without bound: all stacks become one line,
 * "[lost:window-memory]", and the sidecar counts their samples as lost.
 */
void snapshot_window_forget_stacks(struct snapshot_window *w);

/* What --max-memory has cost. */
struct snapshot_losses {
	uint64_t nr_windows; /* that ended in another one's file */
	uint64_t cut_stacks, short_names;
	uint64_t samples; /* without any stack */
};
void snapshot_window_add_losses(const struct snapshot_window *w, struct snapshot_losses *to);
void snapshot_losses_add(struct snapshot_losses *to, const struct snapshot_losses *from);

/* The file's name; nr as snapshot_name_format() wants it. */
void snapshot_window_name(const struct snapshot_window *w, bool is_gzip, uint32_t nr,
			  struct snapshot_name *ret_name);

#endif
