// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A node has at least the samples of what is under it, so all nodes with so many samples are a
 * tree; the least such number is searched for with which the tree fits.
 */
#include "output/html_prune.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define LEFT_OUT "[left out]"

bool html_is_left_out(const struct frame_table *frames, frame_id frame)
{
	return frame_table_get(frames, frame)->origin == FRAME_BASE &&
	       !strcmp(frame_table_name(frames, frame, NULL), LEFT_OUT);
}

/* Nodes there would be: those with `least` samples, and one under each that loses children. */
static size_t count_nodes(const struct profile *p, const uint64_t *sums, uint64_t least)
{
	size_t nr_nodes = profile_nr_nodes(p), nr = 0;
	_cleanup_free_ bool *loses = xcalloc(nr_nodes, sizeof(*loses));
	const node_id *parent = profile_parents(p);

	for (node_id n = 1; n < nr_nodes; n++) {
		if (sums[n] >= least) {
			nr++;
		} else if (sums[n] && !loses[parent[n]] &&
			   (!parent[n] || sums[parent[n]] >= least)) {
			loses[parent[n]] = true;
			nr++;
		}
	}
	return nr;
}

/* The least threshold with which it fits. */
static uint64_t find_threshold(const struct profile *p, const uint64_t *sums, size_t max_nodes)
{
	uint64_t low = 1, high = 2; /* low does not fit */

	while (high < UINT64_MAX / 2 && count_nodes(p, sums, high) > max_nodes) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (count_nodes(p, sums, middle) > max_nodes)
			low = middle;
		else
			high = middle;
	}
	return high;
}

struct prune {
	const uint64_t *sums;
	const struct profile *in;
	struct html_left_out *left_out;
	frame_id mark;
};

static node_id place_pruned(void *ctx, struct profile *out, node_id at, node_id in_node,
			    frame_id frame)
{
	const struct prune *c = ctx;
	node_id parent = profile_parent(c->in, in_node);

	if (c->sums[in_node] >= c->left_out->threshold)
		return profile_child(out, at, frame);
	if (!c->sums[in_node])
		return NODE_DROP;
	c->left_out->nodes++;
	c->left_out->samples += profile_self(c->in, in_node);
	if (parent && c->sums[parent] < c->left_out->threshold)
		return at;
	return profile_child(out, at, c->mark);
}

struct profile *html_prune(const struct profile *p, size_t max_nodes,
			   struct html_left_out *ret_left_out)
{
	_cleanup_free_ uint64_t *sums = xcalloc(profile_nr_nodes(p), sizeof(*sums));
	struct prune c = { .sums = sums, .in = p, .left_out = ret_left_out };

	*ret_left_out = (struct html_left_out){ 0 };
	profile_sum(p, sums);
	if (count_nodes(p, sums, 1) <= max_nodes)
		return NULL;
	ret_left_out->threshold = find_threshold(p, sums, max_nodes);
	c.mark = frame_table_add_base(profile_frames(p), LEFT_OUT);
	return profile_remap(p, place_pruned, &c, NULL);
}

void html_prune_nodes(const struct profile *p, const struct profile *pruned,
		      const struct html_left_out *left_out, node_id *to)
{
	frame_id mark = frame_table_add_base(profile_frames(p), LEFT_OUT);
	_cleanup_free_ uint64_t *sums = xcalloc(profile_nr_nodes(p), sizeof(*sums));

	profile_sum(p, sums);
	to[NODE_ROOT] = NODE_ROOT;
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		node_id parent = profile_parent(p, n);

		if (sums[n] >= left_out->threshold)
			to[n] = profile_find_child(pruned, to[parent], profile_frame(p, n));
		else if (sums[n] && parent && sums[parent] < left_out->threshold)
			to[n] = to[parent];
		else if (sums[n])
			to[n] = profile_find_child(pruned, to[parent], mark);
		else
			to[n] = NODE_ROOT;
	}
}
