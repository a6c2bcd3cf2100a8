// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a window's profile takes, and what is done about it: frames that stand for addresses become
 * functions, detail goes where there is too much.  Both make another profile, which the stacks
 * follow.
 */
#include <stdlib.h>

#include "collect/collector_table.h"
#include "profile/profile_trim.h"
#include "util/mem.h"

struct expansion {
	struct collector *c;
	node_id *nodes; /* of the new profile, by those of the old one */
};

static node_id place_expanded(void *ctx, struct profile *out, node_id at, node_id in_node,
			      frame_id frame)
{
	frame_id frames[SYMBOLIZER_MAX_FRAMES];
	const struct expansion *e = ctx;
	const size_t nr = symbolizer_expand(e->c->symbolizer, frame, frames);

	for (size_t i = 0; i < nr; i++)
		at = profile_child(out, at, frames[i]);
	return e->nodes[in_node] = at;
}

/* Frames have their names, and addresses are the functions and lines that they are in. */
static void past_modes_move(struct collector *c, const node_id *nodes)
{
	size_t nr = profile_nr_nodes(c->profile);
	struct modes *moved;

	if (!c->nr_past_modes)
		return;
	moved = xcalloc(nr, sizeof(*moved));
	for (size_t i = 0; i < c->nr_past_modes; i++) {
		moved[nodes[i]].off_stack += c->past_modes[i].off_stack;
		moved[nodes[i]].user_mode += c->past_modes[i].user_mode;
	}
	free(c->past_modes);
	c->past_modes = moved;
	c->nr_past_modes = nr;
}

/* The profile is another one, with its nodes at other places. */
static void nodes_moved(struct collector *c, const node_id *nodes)
{
	for (size_t i = 0; i < c->nr; i++)
		c->stacks[i].node = nodes[c->stacks[i].node];
	if (c->timeline)
		timeline_move(c->timeline, nodes);
	past_modes_move(c, nodes);
}

static void frames_settle(struct collector *c)
{
	_cleanup_profile_ struct profile *before = NULL;
	_cleanup_free_ node_id *nodes = NULL;
	struct expansion e = { .c = c };

	symbolizer_settle(c->symbolizer);
	if (!symbolizer_has_sites(c->symbolizer))
		return;
	before = c->profile;
	e.nodes = nodes = xcalloc(profile_nr_nodes(before), sizeof(*nodes));
	c->profile = profile_remap(before, place_expanded, &e, NULL);
	nodes_moved(c, nodes);
}

/* ---- memory ------------------------------------------------------------------------------- */

static size_t bytes_held(const struct collector *c)
{
	return profile_bytes(c->profile) + frame_table_bytes(c->frames) +
	       c->cap * sizeof(*c->stacks) + c->nr_past_modes * sizeof(*c->past_modes);
}

void collector_set_frames(struct collector *c, struct frame_table *frames)
{
	symbolizer_use_frames(c->symbolizer, frames);
	frame_table_unref(c->frames);
	c->frames = frame_table_ref(frames);
	c->truncated = frame_table_add_base(frames, "[truncated]");
}

static void trim(struct collector *c, size_t max_bytes)
{
	_cleanup_profile_ struct profile *before = NULL;
	_cleanup_free_ node_id *nodes = NULL;

	frames_settle(c);
	before = c->profile;
	c->profile = profile_trim(before, max_bytes, &nodes, &c->nr_short_names);
	nodes_moved(c, nodes);
	collector_set_frames(c, profile_frames(c->profile));
	c->is_trimmed = true;
}

/*
 * Trimmed to half, so that it is not soon done again; and never before a quarter more has come,
 * however much there is that cannot be trimmed.
 */
void collector_fit(struct collector *c)
{
	size_t max = c->opts.max_bytes, bytes;

	if (!max || bytes_held(c) <= c->trim_at)
		return;
	trim(c, max / 2);
	bytes = bytes_held(c) + max / 4;
	c->trim_at = bytes > max ? bytes : max;
}

void collector_settle(struct collector *c)
{
	frames_settle(c);
	if (c->is_trimmed)
		trim(c, c->opts.max_bytes);
}

void collector_set_max_bytes(struct collector *c, size_t max_bytes)
{
	c->opts.max_bytes = max_bytes;
	c->trim_at = max_bytes;
}
