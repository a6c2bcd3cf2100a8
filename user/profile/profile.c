// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The call-stack tree as three columns (parent, frame, self) and one hash table from (parent,
 * frame) to node: 16 bytes a node and 5 to 11 for its slots.
 */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_columns.h"
#include "util/mem.h"

#define FIRST_NODES 192

static void profile_grow_columns(struct profile *p, size_t more)
{
	size_t cap = array_capacity(p->cap, p->nr + more);

	p->parent = xreallocarray(p->parent, cap, sizeof(*p->parent));
	p->frame = xreallocarray(p->frame, cap, sizeof(*p->frame));
	p->self = xreallocarray(p->self, cap, sizeof(*p->self));
	p->cap = cap;
}

struct profile *profile_new(struct frame_table *frames)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->frames = frames ? frame_table_ref(frames) : frame_table_new();
	children_init(&p->children, FIRST_NODES);
	profile_grow_columns(p, 1);
	p->parent[0] = NODE_ROOT;
	p->frame[0] = FRAME_NONE;
	p->self[0] = 0;
	p->nr = 1;
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	frame_table_unref(p->frames);
	free(p->parent);
	free(p->frame);
	free(p->self);
	free(p->followed);
	children_deinit(&p->children);
	free(p);
}

struct frame_table *profile_frames(const struct profile *p)
{
	return p->frames;
}

node_id profile_find_child(const struct profile *p, node_id parent, frame_id frame)
{
	const struct child key = { parent, frame };
	const node_id *n;

	/* The last node has no children, for they would come behind it: nothing to look up. */
	if (parent == p->nr - 1)
		return NODE_DROP;
	n = children_find(&p->children, p, child_hash(parent, frame), &key);
	return n ? *n : NODE_DROP;
}

void profile_reserve(struct profile *p, size_t more)
{
	children_reserve_all(&p->children, p, more);
	if (p->nr + more > p->cap)
		profile_grow_columns(p, more);
}

/*
 * In a large tree every slot is a cache miss; the numbers of the new nodes are known in advance,
 * and so are their slots, so the misses of one batch overlap.
 */
void profile_append_chain(struct profile *p, node_id parent, const frame_id *frames, size_t nr)
{
	enum { BATCH = 16 };

	profile_reserve(p, nr);
	for (size_t i = 0; i < nr; i += BATCH) {
		size_t end = nr - i < BATCH ? nr : i + BATCH;
		node_id from = parent;

		for (size_t k = i; k < end; k++, from = p->nr + k - i - 1)
			children_prefetch(&p->children, child_hash(from, frames[k]));
		for (size_t k = i; k < end; k++, parent = p->nr++) {
			p->parent[p->nr] = parent;
			p->frame[p->nr] = frames[k];
			p->self[p->nr] = 0;
			*children_put(&p->children, child_hash(parent, frames[k])) = p->nr;
		}
	}
}

node_id profile_child(struct profile *p, node_id parent, frame_id frame)
{
	node_id n = profile_find_child(p, parent, frame);

	if (n != NODE_DROP)
		return n;
	profile_append_chain(p, parent, &frame, 1);
	return p->nr - 1;
}

void profile_path(struct profile *p, node_id from, const frame_id *frames, size_t nr,
		  node_id *ret_nodes)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		node_id n = profile_find_child(p, from, frames[i]);

		if (n == NODE_DROP)
			break;
		ret_nodes[i] = from = n;
	}
	for (size_t k = i; k < nr; k++)
		ret_nodes[k] = p->nr + (k - i);
	profile_append_chain(p, from, frames + i, nr - i);
}

node_id profile_stack(struct profile *p, const frame_id *stack, size_t nr_frames)
{
	node_id n = NODE_ROOT;

	for (size_t i = 0; i < nr_frames; i++)
		n = profile_child(p, n, stack[i]);
	return n;
}

int profile_add(struct profile *p, node_id node, uint64_t weight)
{
	uint64_t total;

	/* No weight exceeds the total, so the total is the only sum that can overflow first. */
	if (__builtin_add_overflow(p->total, weight, &total) || total > INT64_MAX)
		return -EOVERFLOW;
	p->total = total;
	p->self[node] += weight;
	return 0;
}

void profile_subtract(struct profile *p, node_id node, uint64_t weight)
{
	p->total -= weight;
	p->self[node] -= weight;
}

size_t profile_nr_nodes(const struct profile *p)
{
	return p->nr;
}

size_t profile_nr_stacks(const struct profile *p)
{
	size_t nr = 0;

	for (node_id n = 0; n < p->nr; n++)
		nr += p->self[n] != 0;
	return nr;
}

uint64_t profile_total(const struct profile *p)
{
	return p->total;
}

node_id profile_parent(const struct profile *p, node_id node)
{
	return p->parent[node];
}

frame_id profile_frame(const struct profile *p, node_id node)
{
	return p->frame[node];
}

size_t profile_chain(const struct profile *p, node_id node, node_id **ret_chain)
{
	size_t depth = 0;
	node_id *chain;

	for (node_id n = node; n != NODE_ROOT; n = p->parent[n])
		depth++;
	chain = xcalloc(depth, sizeof(*chain));
	for (node_id n = node, i = depth; n != NODE_ROOT; n = p->parent[n])
		chain[--i] = n;
	*ret_chain = chain;
	return depth;
}

uint64_t profile_self(const struct profile *p, node_id node)
{
	return p->self[node];
}

size_t profile_bytes(const struct profile *p)
{
	return p->cap * (sizeof(*p->parent) + sizeof(*p->frame) + sizeof(*p->self)) +
	       children_bytes(&p->children);
}

const node_id *profile_parents(const struct profile *p)
{
	return p->parent;
}

const frame_id *profile_node_frames(const struct profile *p)
{
	return p->frame;
}

const uint64_t *profile_selves(const struct profile *p)
{
	return p->self;
}

void profile_sum(const struct profile *p, uint64_t *sums)
{
	memcpy(sums, p->self, p->nr * sizeof(*sums));
	for (node_id n = p->nr - 1; n > 0; n--)
		sums[p->parent[n]] += sums[n];
}

size_t profile_depth(const struct profile *p)
{
	_cleanup_free_ uint32_t *depth = xcalloc(p->nr, sizeof(*depth));
	uint32_t max = 0;

	for (node_id n = 1; n < p->nr; n++) {
		depth[n] = depth[p->parent[n]] + 1;
		if (depth[n] > max)
			max = depth[n];
	}
	return max;
}

void profile_follow(struct profile *p)
{
	p->nr_followed = p->nr;
	p->followed = xreallocarray(p->followed, p->nr, sizeof(*p->followed));
	for (node_id n = 0; n < p->nr; n++)
		p->followed[n] = n;
}

const node_id *profile_followed(const struct profile *p)
{
	return p->followed;
}

void profile_follow_to(struct profile *out, const struct profile *in, const node_id *placed)
{
	if (!in->followed)
		return;
	out->nr_followed = in->nr_followed;
	out->followed = xreallocarray(out->followed, in->nr_followed, sizeof(*out->followed));
	for (size_t i = 0; i < in->nr_followed; i++) {
		node_id at = in->followed[i];

		out->followed[i] = at == NODE_DROP ? NODE_DROP : placed[at];
	}
}

struct profile *profile_remap(const struct profile *in, profile_place_fn place, void *ctx,
			      uint64_t *ret_dropped)
{
	struct profile *out = profile_new(in->frames);
	_cleanup_free_ node_id *placed = xmalloc(in->nr * sizeof(*placed));
	uint64_t dropped = 0;

	placed[NODE_ROOT] = NODE_ROOT;
	for (node_id n = 0; n < in->nr; n++) {
		if (n) {
			node_id at = placed[in->parent[n]];

			placed[n] =
				at == NODE_DROP ? NODE_DROP : place(ctx, out, at, n, in->frame[n]);
		}
		if (!in->self[n])
			continue;
		if (placed[n] == NODE_DROP)
			dropped += in->self[n];
		else
			profile_add(out, placed[n], in->self[n]); /* cannot exceed in's total */
	}
	profile_follow_to(out, in, placed);
	if (ret_dropped)
		*ret_dropped += dropped;
	return out;
}
