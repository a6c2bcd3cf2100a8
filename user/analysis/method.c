// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Outgoing calls are the input's subtrees that begin at the first M of a path.  Backtraces share no
 * beginnings in the input's tree, so each call site is walked up once, with the weight of all
 * stacks that pass through it.
 */
#include "analysis/method.h"

#include <stdlib.h>

#include "util/mem.h"

void method_stacks_deinit(struct method_stacks *s)
{
	profile_free(s->profile);
	*s = (struct method_stacks){ 0 };
}

void method_callees(const struct profile *in, frame_id of, struct method_stacks *ret_stacks)
{
	size_t nr = profile_nr_nodes(in);
	_cleanup_free_ uint64_t *sums = xcalloc(nr, sizeof(*sums));
	_cleanup_free_ node_id *placed = xcalloc(nr, sizeof(*placed));
	struct method_stacks stacks = { .profile = profile_new(profile_frames(in)) };

	profile_sum(in, sums);
	for (node_id n = 1; n < nr; n++) {
		node_id at = placed[profile_parent(in, n)];
		frame_id f = profile_frame(in, n);

		/* At the root of the result means M was not met yet: nothing else stands there. */
		if (!sums[n] || (at == NODE_ROOT && f != of))
			continue;
		stacks.call_sites += at == NODE_ROOT;
		placed[n] = profile_child(stacks.profile, at, f);
		profile_add(stacks.profile, placed[n], profile_self(in, n)); /* <= in's total */
	}
	stacks.samples = profile_total(stacks.profile);
	*ret_stacks = stacks;
}

static void add_trace(const struct profile *in, node_id from, uint64_t weight,
		      struct method_stacks *stacks)
{
	node_id at = NODE_ROOT;

	for (node_id n = from; n != NODE_ROOT; n = profile_parent(in, n))
		at = profile_child(stacks->profile, at, profile_frame(in, n));
	profile_add(stacks->profile, at, weight); /* cannot exceed in's total */
	stacks->samples += weight;
	stacks->call_sites++;
}

void method_callers(const struct profile *in, frame_id of, bool ends_in_it,
		    struct method_stacks *ret_stacks)
{
	size_t nr = profile_nr_nodes(in);
	_cleanup_free_ uint64_t *sums = xcalloc(nr, sizeof(*sums));
	_cleanup_free_ bool *below = xcalloc(nr, sizeof(*below)); /* M is at or above the node */
	struct method_stacks stacks = { .profile = profile_new(profile_frames(in)) };

	profile_sum(in, sums);
	for (node_id n = 1; n < nr; n++) {
		bool is_first = profile_frame(in, n) == of && !below[profile_parent(in, n)];
		uint64_t weight = sums[n];

		below[n] = is_first || below[profile_parent(in, n)];
		if (ends_in_it) {
			is_first = profile_frame(in, n) == of;
			weight = profile_self(in, n);
		}
		if (is_first && weight)
			add_trace(in, n, weight, &stacks);
	}
	*ret_stacks = stacks;
}
