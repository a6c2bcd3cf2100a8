// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose a stack is: `start` of its base frame, which else is 0. */
#include "profile/profile_owner.h"

frame_id profile_owned_base(struct frame_table *t, const char *text, owner_id owner)
{
	return frame_table_add(t, &(struct frame){ .name = frame_table_intern0(t, text),
						   .start = owner,
						   .origin = FRAME_BASE });
}

static node_id place_disowned(void *ctx, struct profile *out, node_id at, node_id in_node,
			      frame_id frame)
{
	const struct profile *in = ctx;
	struct frame_table *t = profile_frames(out);
	struct frame f = *frame_table_get(t, frame);

	if (f.origin != FRAME_BASE || profile_parent(in, in_node) != NODE_ROOT)
		return profile_child(out, at, frame);
	if (!f.name)
		return at;
	f.start = 0;
	return profile_child(out, at, frame_table_add(t, &f));
}

struct profile *profile_disown(const struct profile *p)
{
	return profile_remap(p, place_disowned, (void *)p, NULL);
}
