// SPDX-License-Identifier: GPL-2.0-or-later
/* Each place names its function, so there is nothing to look for. */
#include "profile/frame_place.h"

struct frame frame_without_place(const struct frame_table *t, frame_id id)
{
	const struct frame_place *place = frame_table_place(t, id);
	const struct frame *at = frame_table_get(t, id);
	struct frame f;

	if (!place)
		return *at;
	f = *frame_table_get(t, place->function);
	if (frame_has_line(at)) {
		f.file = at->file;
		f.line = at->line;
	}
	return f;
}

frame_id frame_function(struct frame_table *t, frame_id id)
{
	const struct frame_place *place = frame_table_place(t, id);
	struct frame f;

	if (!place || !frame_has_line(frame_table_get(t, id)))
		return place ? place->function : id;
	f = frame_without_place(t, id);
	return frame_table_add(t, &f);
}

static node_id place_function(void *ctx, struct profile *out, node_id at, node_id in_node,
			      frame_id frame)
{
	return profile_child(out, at, frame_function(profile_frames(out), frame));
}

struct profile *profile_without_places(const struct profile *p)
{
	if (!frame_table_has_places(profile_frames(p)))
		return NULL;
	return profile_remap(p, place_function, NULL, NULL);
}
