// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a stack holds is known at each node from its caller's: one forward loop says which stacks
 * stay, one backward loop which nodes lead to them, and only those are made.
 */
#include "analysis/focus.h"

#include <stdlib.h>

#include "util/mem.h"

enum { HAS_FOCUS = 1, HAS_IGNORED = 2, LEADS_TO_KEPT = 4 };

static bool is_kept(uint8_t flags)
{
	return (flags & (HAS_FOCUS | HAS_IGNORED)) == HAS_FOCUS;
}

static void mark_nodes(const struct profile *in, const struct frame_set *focus,
		       const struct frame_set *ignore, uint8_t *flags)
{
	size_t nr = profile_nr_nodes(in);
	const uint64_t *self = profile_selves(in);

	flags[NODE_ROOT] = focus ? 0 : HAS_FOCUS;
	for (node_id n = 1; n < nr; n++) {
		frame_id f = profile_frame(in, n);

		flags[n] = flags[profile_parent(in, n)];
		if (focus && frame_set_has(focus, f))
			flags[n] |= HAS_FOCUS;
		if (ignore && frame_set_has(ignore, f))
			flags[n] |= HAS_IGNORED;
	}
	for (node_id n = nr - 1; n > 0; n--) {
		if (self[n] && is_kept(flags[n]))
			flags[n] |= LEADS_TO_KEPT;
		if (flags[n] & LEADS_TO_KEPT)
			flags[profile_parent(in, n)] |= LEADS_TO_KEPT;
	}
}

struct profile *profile_focus(const struct profile *in, const struct frame_set *focus,
			      const struct frame_set *ignore, uint64_t *ret_dropped)
{
	size_t nr = profile_nr_nodes(in);
	_cleanup_free_ uint8_t *flags = xcalloc(nr, sizeof(*flags));
	_cleanup_free_ node_id *placed = xcalloc(nr, sizeof(*placed));
	struct profile *out = profile_new(profile_frames(in));

	mark_nodes(in, focus, ignore, flags);
	for (node_id n = 0; n < nr; n++) {
		uint64_t self = profile_self(in, n);

		if (n && flags[n] & LEADS_TO_KEPT)
			placed[n] = profile_child(out, placed[profile_parent(in, n)],
						  profile_frame(in, n));
		if (is_kept(flags[n]))
			profile_add(out, placed[n], self); /* cannot exceed in's total */
		else
			*ret_dropped += self;
	}
	for (node_id n = 0; n < nr; n++)
		if (!is_kept(flags[n]))
			placed[n] = NODE_DROP;
	profile_follow_to(out, in, placed);
	return out;
}
