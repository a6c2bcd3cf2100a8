// SPDX-License-Identifier: GPL-2.0-or-later
/* Callers come before callees, so one loop knows of each stack what it goes through. */
#include "live/live_pick.h"

#include "util/mem.h"

/* Frames of one text are one box. */
bool live_pick_is_same(const struct frame_table *frames, frame_id a, frame_id b)
{
	const struct frame *x = frame_table_get(frames, a), *y = frame_table_get(frames, b);

	return a == b || (frame_shown(x) == frame_shown(y) && x->origin == y->origin);
}

static frame_id function_of(const struct live_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->rows[i].is_head)
			return t->rows[i].frame;
	return FRAME_NONE;
}

/* By node, how many of the zoomed frames lead to it; those below all of them have the same. */
static bool is_zoomed(const struct profile *p, const struct live_choice *c, node_id n,
		      uint32_t *leading)
{
	uint32_t above = leading[profile_parent(p, n)];

	leading[n] = above;
	if (above == c->nr_zoom)
		return true;
	leading[n] = UINT32_MAX; /* beside the way */
	if (above < c->nr_zoom &&
	    live_pick_is_same(profile_frames(p), c->zoom[above], profile_frame(p, n)))
		leading[n] = above + 1;
	return leading[n] == c->nr_zoom;
}

struct profile *live_pick_stacks(const struct profile *shown, const struct live_choice *c,
				 const struct live_table *t)
{
	struct profile *out = profile_new(profile_frames(shown));
	size_t nr = profile_nr_nodes(shown);
	_cleanup_free_ node_id *placed = xcalloc(nr, sizeof(*placed));
	_cleanup_free_ uint32_t *leading = xcalloc(nr, sizeof(*leading));
	_cleanup_free_ bool *is_in = xcalloc(nr, sizeof(*is_in));
	frame_id of = t->view == LIVE_CALLS ? function_of(t) : FRAME_NONE;
	bool is_zoom = t->view == LIVE_FLAME && c->nr_zoom;

	is_in[NODE_ROOT] = !of && !is_zoom;
	profile_add(out, NODE_ROOT, is_in[NODE_ROOT] ? profile_self(shown, NODE_ROOT) : 0);
	for (node_id n = 1; n < nr; n++) {
		node_id parent = profile_parent(shown, n);

		is_in[n] = is_in[parent] || (of && profile_frame(shown, n) == of) ||
			   (is_zoom && is_zoomed(shown, c, n, leading));
		placed[n] = profile_child(out, placed[parent], profile_frame(shown, n));
		if (is_in[n])
			profile_add(out, placed[n], profile_self(shown, n));
	}
	return out;
}
