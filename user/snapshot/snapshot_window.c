// SPDX-License-Identifier: GPL-2.0-or-later
/* A profile and its sidecar, kept in step: what the file adds up to is what the sidecar says. */
#include "snapshot/snapshot_window.h"

#include <string.h>

#include "archive/sidecar.h"
#include "profile/profile_trim.h"
#include "util/limit.h"
#include "util/mem.h"

#define LOST_REASON "window-memory"

struct snapshot_window *snapshot_window_new(struct profile *profile, struct json *sidecar,
					    const struct snapshot_span *span)
{
	struct snapshot_window *w = xcalloc(1, sizeof(*w));

	w->profile = profile;
	w->sidecar = sidecar_merge_new_windows(sidecar);
	w->span = *span;
	w->nr_windows = 1;
	return w;
}

void snapshot_window_free(struct snapshot_window *w)
{
	if (!w)
		return;
	profile_free(w->profile);
	sidecar_merge_free(w->sidecar);
	free(w);
}

void snapshot_window_merge(struct snapshot_window *w, const struct snapshot_window *next)
{
	/* Cannot overflow: nobody takes 2^63 samples. */
	profile_merge(w->profile, next->profile);
	sidecar_merge_add(w->sidecar, sidecar_merge_json(next->sidecar), NULL); /* nor here */
	w->span.end_ms = next->span.end_ms;
	w->span.lasted_ms += next->span.lasted_ms;
	w->nr_windows += next->nr_windows;
	if (!w->err) {
		w->err = next->err;
		w->failed_at_ms = next->failed_at_ms;
	}
}

size_t snapshot_window_bytes(const struct snapshot_window *w)
{
	return sizeof(*w) + profile_bytes(w->profile) +
	       frame_table_bytes(profile_frames(w->profile)) + sidecar_merge_bytes(w->sidecar);
}

size_t snapshot_window_bytes_to_write(const struct snapshot_window *w)
{
	/* That without owners, and the result; what passes make in between comes and goes. */
	return 2 * profile_bytes(w->profile);
}

static uint64_t sidecar_count(const struct snapshot_window *w, const char *object, const char *name)
{
	const struct json *j = sidecar_merge_json(w->sidecar);

	return json_integer(j, json_member(j, json_member(j, JSON_ROOT, object), name));
}

void snapshot_window_trim(struct snapshot_window *w, size_t max_bytes)
{
	const char *name = limit_name(LIMIT_SHORT_NAMES);
	struct json *j = sidecar_merge_json(w->sidecar);
	struct profile *before = w->profile;
	uint64_t nr_names = sidecar_count(w, "limits", name);

	w->profile = profile_trim(before, max_bytes, NULL, &nr_names);
	profile_free(before);
	sidecar_set_integer(j, sidecar_member(j, JSON_ROOT, "limits", JSON_OBJECT), name, nr_names);
	sidecar_note(j,
		     "the stacks of this window took more memory than --max-memory while it could "
		     "not be written: they have lost detail");
}

void snapshot_window_add_losses(const struct snapshot_window *w, struct snapshot_losses *to)
{
	to->nr_windows += w->nr_windows - 1;
	to->cut_stacks += profile_cut_weight(w->profile);
	to->short_names += sidecar_count(w, "limits", limit_name(LIMIT_SHORT_NAMES));
	to->samples += sidecar_count(w, "losses", LOST_REASON);
}

void snapshot_losses_add(struct snapshot_losses *to, const struct snapshot_losses *from)
{
	to->nr_windows += from->nr_windows;
	to->cut_stacks += from->cut_stacks;
	to->short_names += from->short_names;
	to->samples += from->samples;
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

	profile_free(short_one);
	profile_free(w->profile);
	w->profile = own;
	sidecar_lose_kept(sidecar_merge_json(w->sidecar), LOST_REASON);
	sidecar_note(sidecar_merge_json(w->sidecar),
		     "the stacks of this window took more memory than --max-memory while it could "
		     "not be written: they are counted as lost");
}

/*
 * Where nobody set the clock, start and end are cut to seconds, and the next name begins where this
 * one ends.  Where somebody did, the difference of the two says nothing.
 */
void snapshot_window_name(const struct snapshot_window *w, bool is_gzip, uint32_t nr,
			  struct snapshot_name *ret_name)
{
	const struct snapshot_span *s = &w->span;
	int64_t start_s = s->start_ms / 1000, by_clock = s->end_ms / 1000 - start_s;
	int64_t lasted_s = (s->lasted_ms + 500) / 1000;
	bool is_set = by_clock < 0 || by_clock > lasted_s + 1 || by_clock + 1 < lasted_s;

	*ret_name = (struct snapshot_name){
		.start_s = start_s,
		.seconds = is_set ? lasted_s : by_clock,
		.nr = nr,
		.is_gzip = is_gzip,
	};
}
