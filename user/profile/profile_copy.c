// SPDX-License-Identifier: GPL-2.0-or-later
/* One profile's nodes in another one, whose names may stand in another table. */
#include <stdlib.h>

#include "profile/frame_place.h"
#include "profile/profile_columns.h"
#include "util/mem.h"

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
		profile_append_chain(copy, nodes[p->parent[n]], &frame, 1);
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
