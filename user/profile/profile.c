// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The call-stack tree as three columns (parent, frame, self) and one hash table from (parent,
 * frame) to node: 16 bytes a node and 5 to 11 for its slots.
 */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frame_place.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_NODES 192

struct child {
	node_id parent;
	frame_id frame;
};

/* All nodes but the root, which is nobody's child. */
DEFINE_ID_TABLE(children, struct child, struct profile)

struct profile {
	struct frame_table *frames;
	node_id *parent;
	frame_id *frame;
	uint64_t *self;
	size_t nr, cap;
	struct children children;
	uint64_t total;
	node_id *followed; /* nr_followed; NULL: none is */
	size_t nr_followed;
};

static uint64_t child_hash(node_id parent, frame_id frame)
{
	return hash_u64((uint64_t)parent << 32 | frame);
}

static uint64_t children_hash(const struct profile *p, const node_id *n)
{
	return child_hash(p->parent[*n], p->frame[*n]);
}

static bool children_equals(const struct profile *p, const node_id *n, const struct child *key)
{
	return p->parent[*n] == key->parent && p->frame[*n] == key->frame;
}

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

/* Room for more nodes, so that what follows moves nothing. */
static void profile_reserve(struct profile *p, size_t more)
{
	children_reserve_all(&p->children, p, more);
	if (p->nr + more > p->cap)
		profile_grow_columns(p, more);
}

/*
 * Adds nodes that are not there yet, each called from the one before.  In a large tree every slot
 * is a cache miss; the numbers of the new nodes are known in advance, and so are their slots, so
 * the misses of one batch overlap.
 */
static void append_chain(struct profile *p, node_id parent, const frame_id *frames, size_t nr)
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
	append_chain(p, parent, &frame, 1);
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
	append_chain(p, from, frames + i, nr - i);
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

static str_id str_carry(struct frame_table *to, const struct frame_table *from, str_id id)
{
	size_t len;
	const char *s = frame_table_str(from, id, &len);

	return frame_table_intern(to, s, len);
}

/* The same frame in another table, where an instruction is its function. */
static frame_id frame_carry(struct frame_table *to, const struct frame_table *from, frame_id id)
{
	struct frame f = frame_without_place(from, id);

	f.name = str_carry(to, from, frame_shown(&f));
	f.shown = 0;
	f.module = str_carry(to, from, f.module);
	f.file = str_carry(to, from, f.file);
	return frame_table_add(to, &f);
}

/* The same, where it is an instruction. */
static frame_id place_carry(struct frame_table *to, const struct frame_table *from, frame_id id)
{
	struct frame_place place = *frame_table_place(from, id);
	const struct frame *at = frame_table_get(from, id);
	struct frame f;

	place.function = frame_carry(to, from, place.function);
	place.path = str_carry(to, from, place.path);
	place.build_id = str_carry(to, from, place.build_id);
	id = frame_table_add_place(to, &place);
	if (!frame_has_line(at))
		return id;
	f = *frame_table_get(to, id);
	f.file = str_carry(to, from, at->file);
	f.line = at->line;
	return frame_table_add(to, &f);
}

/* Frames of one profile in another's table, each carried when it is first asked for. */
struct carrier {
	struct frame_table *to, *from;
	frame_id *carried; /* NULL: both are one table */
	bool with_places;
};

static void carrier_init(struct carrier *c, const struct profile *to, const struct profile *from)
{
	c->to = to->frames;
	c->from = from->frames;
	c->carried = NULL;
	c->with_places = false;
	if (c->to != c->from)
		c->carried = xcalloc(frame_table_nr(c->from), sizeof(*c->carried));
}

static void carrier_deinit(struct carrier *c)
{
	free(c->carried);
}

static frame_id carry(struct carrier *c, frame_id id)
{
	if (!c->carried)
		return id;
	if (!c->carried[id])
		c->carried[id] = c->with_places && frame_table_place(c->from, id)
					 ? place_carry(c->to, c->from, id)
					 : frame_carry(c->to, c->from, id);
	return c->carried[id];
}

void profile_carry(struct profile *into, const struct profile *from, node_id *ret_nodes)
{
	_cleanup_(carrier_deinit) struct carrier c;

	ret_nodes[NODE_ROOT] = NODE_ROOT;
	carrier_init(&c, into, from);
	for (node_id n = 1; n < from->nr; n++)
		ret_nodes[n] =
			profile_child(into, ret_nodes[from->parent[n]], carry(&c, from->frame[n]));
}

int profile_merge(struct profile *into, const struct profile *from)
{
	_cleanup_free_ node_id *nodes = xmalloc(from->nr * sizeof(*nodes));

	profile_carry(into, from, nodes);
	for (node_id n = 0; n < from->nr; n++) {
		int r = profile_add(into, nodes[n], from->self[n]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Marks what is above marked nodes too; how many they are, without the root. */
static size_t mark_used(const struct profile *p, bool *is_used)
{
	size_t nr = 0;

	for (node_id n = p->nr - 1; n > 0; n--) {
		if (!is_used[n])
			continue;
		is_used[p->parent[n]] = true;
		nr++;
	}
	return nr;
}

static struct profile *pick(const struct profile *p, bool *is_used, bool with_places,
			    node_id **ret_nodes)
{
	struct profile *copy = profile_new(NULL);
	node_id *nodes = xcalloc(p->nr, sizeof(*nodes));
	_cleanup_(carrier_deinit) struct carrier c;

	profile_reserve(copy, mark_used(p, is_used));
	carrier_init(&c, copy, p);
	c.with_places = with_places;
	copy->self[NODE_ROOT] = p->self[NODE_ROOT];
	for (node_id n = 1; n < p->nr; n++) {
		frame_id frame;

		if (!is_used[n])
			continue;
		/* No two nodes are alike, so nobody has to look whether this one is there. */
		frame = carry(&c, p->frame[n]);
		nodes[n] = copy->nr;
		append_chain(copy, nodes[p->parent[n]], &frame, 1);
		copy->self[nodes[n]] = p->self[n];
		copy->total += p->self[n];
	}
	copy->total += p->self[NODE_ROOT];
	*ret_nodes = nodes;
	return copy;
}

struct profile *profile_pick(const struct profile *p, bool *is_used, node_id **ret_nodes)
{
	return pick(p, is_used, false, ret_nodes);
}

static struct profile *copy(const struct profile *p, bool with_places)
{
	_cleanup_free_ bool *is_used = xmalloc(p->nr * sizeof(*is_used));
	_cleanup_free_ node_id *nodes = NULL;

	for (node_id n = 0; n < p->nr; n++)
		is_used[n] = p->self[n] != 0;
	return pick(p, is_used, with_places, &nodes);
}

struct profile *profile_copy(const struct profile *p)
{
	return copy(p, false);
}

struct profile *profile_copy_with_places(const struct profile *p)
{
	return copy(p, true);
}
