// SPDX-License-Identifier: GPL-2.0-or-later
/* A mark stands at the root or right under what does; no other name is ever written like one. */
#include "analysis/base_marks.h"

#include <string.h>

#include "profile/base_frame.h"
#include "util/mem.h"

static bool is_mark(const char *name)
{
	static const char *const marks[] = { "[hardirq]", "[softirq]",	 "[nmi]",
					     "[cut]",	  "[truncated]", "[empty]" };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (!strcmp(name, marks[i]))
			return true;
	return !strncmp(name, "[lost:", 6);
}

bool frame_is_base(const struct frame_table *frames, frame_id frame)
{
	return frame_table_get(frames, frame)->origin == FRAME_BASE;
}

struct placing {
	const struct profile *in;
	size_t nr_bases;
};

/* The frames above the node. */
static size_t depth_of(const struct profile *p, node_id n)
{
	size_t depth = 0;

	while ((n = profile_parent(p, n)) != NODE_ROOT && depth <= BASE_FRAMES_MAX)
		depth++;
	return depth;
}

static bool is_unmarked(const struct placing *p, node_id n, frame_id frame)
{
	const struct frame_table *frames = profile_frames(p->in);
	const struct frame *f = frame_table_get(frames, frame);
	const size_t most_marks = p->nr_bases ? p->nr_bases : 1;
	size_t depth;

	if (f->origin != FRAME_USER || f->module)
		return false;
	depth = depth_of(p->in, n);
	return depth < p->nr_bases ||
	       (depth <= most_marks && is_mark(frame_table_name(frames, frame, NULL)));
}

bool profile_has_unmarked_bases(const struct profile *in, size_t nr_bases)
{
	const struct placing p = { in, nr_bases };

	for (node_id n = 1; n < profile_nr_nodes(in); n++)
		if (is_unmarked(&p, n, profile_frame(in, n)))
			return true;
	return false;
}

static node_id place(void *ctx, struct profile *out, node_id at, node_id in_node, frame_id frame)
{
	struct frame_table *frames = profile_frames(out);

	if (is_unmarked(ctx, in_node, frame))
		frame = frame_table_add_base(frames, frame_table_name(frames, frame, NULL));
	return profile_child(out, at, frame);
}

struct profile *profile_mark_bases(const struct profile *in, size_t nr_bases)
{
	struct placing p = { in, nr_bases };

	return profile_remap(in, place, &p, NULL);
}
