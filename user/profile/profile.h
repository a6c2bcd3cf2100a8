/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile: a tree of call-stack prefixes with a weight (samples) on the node where a stack ends.
 * Live data and files both become one; passes and views start from it.
 *
 *   node 0        the root: no frame, no function; a weight on it is a stack without frames
 *   node n > 0    one distinct stack prefix: frame(n) called from parent(n)
 *
 * A node's parent always has a smaller index, so a forward loop meets callers before callees and
 * a backward loop sums subtrees: no pass needs program recursion.  Profiles are append-only; a
 * pass never edits its input, it returns a new profile over the same frame table.
 */
#ifndef EDDY_PROFILE_PROFILE_H
#define EDDY_PROFILE_PROFILE_H

#include "profile/frame.h"
#include "util/cleanup.h"

typedef uint32_t node_id;

#define NODE_ROOT ((node_id)0)
#define NODE_DROP ((node_id)UINT32_MAX) /* from a place function: this stack is left out */

struct profile;

/* A new profile; takes a reference of its own on frames, or makes a table when NULL. */
struct profile *profile_new(struct frame_table *frames);
void profile_free(struct profile *p);
DEFINE_FREE(profile, struct profile *, profile_free)
#define _cleanup_profile_ _cleanup_(profile_freep)

/* The table (no reference taken). */
struct frame_table *profile_frames(const struct profile *p);

/* The node of frame called at parent; made if it is not there. */
node_id profile_child(struct profile *p, node_id parent, frame_id frame);
/* The same, but NODE_DROP when it is not there. */
node_id profile_find_child(const struct profile *p, node_id parent, frame_id frame);
/*
 * The nodes of frames that are called one from the other, the first one at `from`; made if they
 * are not there.  ret_nodes has room for nr.  The same as nr calls of profile_child, but faster.
 */
void profile_path(struct profile *p, node_id from, const frame_id *frames, size_t nr,
		  node_id *ret_nodes);
/* The node of a whole stack, outermost frame first; nr_frames may be 0 (the root). */
node_id profile_stack(struct profile *p, const frame_id *stack, size_t nr_frames);
/* Adds samples to a node; -EOVERFLOW (and nothing added) when its or the total would overflow. */
int profile_add(struct profile *p, node_id node, uint64_t weight);
/* Takes samples that were added to this node off again; the node stays. */
void profile_subtract(struct profile *p, node_id node, uint64_t weight);

size_t profile_nr_nodes(const struct profile *p);	  /* root included */
size_t profile_nr_stacks(const struct profile *p);	  /* nodes with a weight: O(nodes) */
uint64_t profile_total(const struct profile *p);	  /* sum of all weights */
node_id profile_parent(const struct profile *p, node_id); /* of node > 0 */
frame_id profile_frame(const struct profile *p, node_id); /* FRAME_NONE for the root */
uint64_t profile_self(const struct profile *p, node_id);
/* The nodes that lead to one, outermost first, without the root; *ret_chain is the caller's. */
size_t profile_chain(const struct profile *p, node_id node, node_id **ret_chain);
size_t profile_bytes(const struct profile *p); /* memory, frame table not included */

/* Whole columns, for loops that want no call per node; valid until the next node is added. */
const node_id *profile_parents(const struct profile *p);
const frame_id *profile_node_frames(const struct profile *p);
const uint64_t *profile_selves(const struct profile *p);

/* sums[n] = weight of n and of everything under it; sums has profile_nr_nodes() elements. */
void profile_sum(const struct profile *p, uint64_t *sums);
/* Depth of the deepest node (root = 0). */
size_t profile_depth(const struct profile *p);

/*
 * Rebuilds a profile: nodes of `in` are visited parents first and place() answers where each one
 * goes in `out`, given where its caller went (`at`).  It may answer `at` (the frame vanishes), a
 * child of `at`, any other node of `out`, or NODE_DROP (this node and all under it are left out;
 * place() is not asked about them).  Weights are carried by profile_remap, so the total is kept
 * but for dropped stacks, whose weight is added to *ret_dropped (may be NULL).
 */
typedef node_id (*profile_place_fn)(void *ctx, struct profile *out, node_id at, node_id in_node,
				    frame_id frame);
struct profile *profile_remap(const struct profile *in, profile_place_fn place, void *ctx,
			      uint64_t *ret_dropped);

/*
 * From now on profile_remap() tells where the nodes that there are go, through all the passes that
 * come after one another: each profile that is made of this one says it of these nodes.
 */
void profile_follow(struct profile *p);
/* By node that was followed: where it is here, or NODE_DROP; NULL: none was. */
const node_id *profile_followed(const struct profile *p);
/* For a pass that makes `out` of `in` otherwise: placed[n] is where node n of `in` went. */
void profile_follow_to(struct profile *out, const struct profile *in, const node_id *placed);

/*
 * The same stacks over a frame table of its own, which holds what they use and no more; what has no
 * weight is left out.  The copy shares nothing with the original: another thread may have it.
 */
struct profile *profile_copy(const struct profile *p);
/* So does this one, whose frames are instructions where they were. */
struct profile *profile_copy_with_places(const struct profile *p);
/*
 * The same of the nodes that are marked (by node, of p) and of those above them, which are marked
 * besides.  *ret_nodes: where each node of p went, NODE_ROOT those that are left out; free() it.
 */
struct profile *profile_pick(const struct profile *p, bool *is_used, node_id **ret_nodes);

/*
 * Adds all stacks of `from` to `into`; the frame tables may differ (frames are interned anew).
 * -EOVERFLOW when a sum would overflow; `into` then holds a part.
 */
int profile_merge(struct profile *into, const struct profile *from);
/* The nodes without the weights: ret_nodes[n] (profile_nr_nodes(from) of them) is where n went. */
void profile_carry(struct profile *into, const struct profile *from, node_id *ret_nodes);

#endif
