// SPDX-License-Identifier: GPL-2.0-or-later
/* A profile and its sidecar, kept in step: what the file adds up to is what the sidecar says. */
#include "cli/snapshot_window.h"

#include <string.h>

#include "util/mem.h"

#define LOST_REASON "window-memory"

struct snapshot_window *snapshot_window_new(struct profile *profile, const struct sidecar *sidecar,
					    uint64_t lasted_ms)
{
	struct snapshot_window *w = xcalloc(1, sizeof(*w));

	w->profile = profile;
	w->sidecar = sidecar_sum_new(sidecar);
	w->lasted_ms = lasted_ms;
	w->nr_windows = 1;
	return w;
}

void snapshot_window_free(struct snapshot_window *w)
{
	if (!w)
		return;
	profile_free(w->profile);
	sidecar_sum_free(w->sidecar);
	free(w);
}

void snapshot_window_merge(struct snapshot_window *w, const struct snapshot_window *next)
{
	/* Cannot overflow: nobody takes 2^63 samples. */
	profile_merge(w->profile, next->profile);
	sidecar_sum_add(w->sidecar, sidecar_sum_get(next->sidecar));
	w->lasted_ms += next->lasted_ms;
	w->nr_windows += next->nr_windows;
	if (!w->err) {
		w->err = next->err;
		w->failed_at_ms = next->failed_at_ms;
	}
}

size_t snapshot_window_bytes(const struct snapshot_window *w)
{
	return sizeof(*w) + profile_bytes(w->profile) +
	       frame_table_bytes(profile_frames(w->profile)) + sidecar_sum_bytes(w->sidecar);
}

/* Lines that already say that samples were lost stay. */
static node_id place_lost(void *ctx, struct profile *out, node_id at, node_id in_node,
			  frame_id frame)
{
	const frame_id *lost = ctx;
	const char *name = frame_table_name(profile_frames(out), frame, NULL);

	if (at == NODE_ROOT && !strncmp(name, "[lost:", 6))
		return profile_child(out, at, frame);
	return profile_child(out, NODE_ROOT, *lost);
}

void snapshot_window_forget_stacks(struct snapshot_window *w)
{
	frame_id lost = frame_table_add_base(profile_frames(w->profile), "[lost:" LOST_REASON "]");
	struct profile *short_one = profile_remap(w->profile, place_lost, &lost, NULL);
	struct profile *own = profile_copy(short_one); /* without the frames of the stacks */
	uint64_t kept = sidecar_sum_get(w->sidecar)->samples.kept;

	profile_free(short_one);
	profile_free(w->profile);
	w->profile = own;
	sidecar_sum_lose(w->sidecar, LOST_REASON, kept);
	sidecar_sum_note(w->sidecar, "the stacks of this window took more memory than --max-memory "
				     "while it could not be written: they are counted as lost");
}

/*
 * Where nobody set the clock, start and end are cut to seconds, and the next name begins where this
 * one ends.  Where somebody did, the difference of the two says nothing.
 */
void snapshot_window_name(const struct snapshot_window *w, bool is_gzip, uint32_t nr,
			  struct snapshot_name *ret_name)
{
	const struct sidecar *s = sidecar_sum_get(w->sidecar);
	int64_t start_s = s->start_ms / 1000, by_clock = s->end_ms / 1000 - start_s;
	int64_t lasted_s = (w->lasted_ms + 500) / 1000;
	bool is_set = by_clock < 0 || by_clock > lasted_s + 1 || by_clock + 1 < lasted_s;

	*ret_name = (struct snapshot_name){
		.start_s = start_s,
		.seconds = is_set ? lasted_s : by_clock,
		.nr = nr,
		.is_gzip = is_gzip,
	};
}
