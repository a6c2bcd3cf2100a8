/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile made to fit into memory.  What there is room for is shared by whose the stacks are: one
 * half for the system, the other half for all other users alike; what somebody does not need others
 * have.  Who is within his share keeps everything.  Who is not loses, until he is:
 *
 *	of names what is beyond PROFILE_SHORT_NAME bytes (util/name_cut.h)
 *	the deepest user frames: [cut] stands for them, kernel frames under them stay
 *	all of his frames but the base frame, comm;[cut]
 *	the base frames too: [cut]
 *
 * Weights are never lost, and "[lost:...]" stays.  Whose a stack is stands in its base frame
 * (profile_owner.h).
 */
#ifndef EDDY_PROFILE_PROFILE_TRIM_H
#define EDDY_PROFILE_PROFILE_TRIM_H

#include "profile/profile.h"
#include "util/owner.h"

#define PROFILE_CUT	   "[cut]"
#define PROFILE_SHORT_NAME 64

/*
 * The same stacks in about max_bytes, over a frame table of its own.  *ret_nodes (may be NULL): for
 * each node of p the one that took its place; free() it.  *ret_nr_names is raised by the names that
 * were cut.
 */
struct profile *profile_trim(const struct profile *p, size_t max_bytes, node_id **ret_nodes,
			     uint64_t *ret_nr_names);

/* The weight of all stacks that [cut] stands in. */
uint64_t profile_cut_weight(const struct profile *p);

#endif
