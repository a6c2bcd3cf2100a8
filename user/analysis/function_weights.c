// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function gets the whole subtree of a node that is its first on the way from the root.  The
 * walk goes down by linked children and back up by parents, and counts the frames it stands on.
 */
#include "analysis/function_weights.h"

#include <string.h>

#include "util/mem.h"

void function_weights(const struct profile *p, uint64_t *ret_inclusive, uint64_t *ret_self)
{
	size_t nr = profile_nr_nodes(p), nr_frames = frame_table_nr(profile_frames(p));
	_cleanup_free_ uint64_t *sums = xcalloc(nr, sizeof(*sums));
	_cleanup_free_ node_id *child = xcalloc(nr, sizeof(*child));
	_cleanup_free_ node_id *sibling = xcalloc(nr, sizeof(*sibling));
	_cleanup_free_ uint32_t *standing = xcalloc(nr_frames, sizeof(*standing));
	const frame_id *frames = profile_node_frames(p);
	const node_id *parents = profile_parents(p);
	node_id at;

	memset(ret_inclusive, 0, nr_frames * sizeof(*ret_inclusive));
	memset(ret_self, 0, nr_frames * sizeof(*ret_self));
	profile_sum(p, sums);
	for (node_id n = nr - 1; n > 0; n--) {
		ret_self[frames[n]] += profile_self(p, n);
		sibling[n] = child[parents[n]];
		child[parents[n]] = n;
	}
	for (at = child[NODE_ROOT]; at;) {
		if (!standing[frames[at]]++)
			ret_inclusive[frames[at]] += sums[at];
		if (child[at]) {
			at = child[at];
			continue;
		}
		while (at && !sibling[at]) {
			standing[frames[at]]--;
			at = parents[at];
		}
		if (at) {
			standing[frames[at]]--;
			at = sibling[at];
		}
	}
}
