// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree is cut to what can be seen before it is laid out: work is in proportion to that. */
#include "live/live_flame.h"

#include <stdlib.h>
#include <string.h>

#include "live/live_pick.h"
#include "live/live_rows.h"
#include "output/flame_layout.h"
#include "util/hash.h"
#include "util/mem.h"

#define NOT_ON_WAY UINT32_MAX

static const struct live_column flame_columns[] = {
	{ "samples %", 9, LIVE_PERCENT, 0 },
	{ "samples", 8, LIVE_SAMPLES, 1 },
};

/* ---- what is seen ---------------------------------------------------------------------------- */

struct cutting {
	const struct profile *in;
	const struct live_choice *choice;
	uint64_t *sums;
	uint32_t *way; /* by node: how many of the zoomed frames lead to it, else NOT_ON_WAY */
	bool *is_seen;
	uint64_t total; /* samples of what is zoomed on */
};

/* Marks the nodes on the way to what is zoomed on; false: nothing is there any more. */
static bool find_zoom(struct cutting *k)
{
	const struct frame_table *frames = profile_frames(k->in);
	size_t nr = profile_nr_nodes(k->in), nr_zoom = k->choice->nr_zoom;

	k->total = nr_zoom ? 0 : k->sums[NODE_ROOT];
	for (node_id n = 1; n < nr; n++) {
		uint32_t above = k->way[profile_parent(k->in, n)];

		k->way[n] = NOT_ON_WAY;
		if (above == NOT_ON_WAY || above >= nr_zoom ||
		    !live_pick_is_same(frames, k->choice->zoom[above], profile_frame(k->in, n)))
			continue;
		k->way[n] = above + 1;
		if (above + 1 == nr_zoom)
			k->total += k->sums[n];
	}
	return k->total;
}

static void mark_seen(struct cutting *k)
{
	size_t nr = profile_nr_nodes(k->in), nr_zoom = k->choice->nr_zoom;
	size_t columns = k->choice->columns ? k->choice->columns : 200;
	double least = (double)k->total / columns;

	k->is_seen[NODE_ROOT] = true;
	for (node_id n = 1; n < nr; n++) {
		node_id parent = profile_parent(k->in, n);
		bool is_under = k->way[parent] == NOT_ON_WAY || k->way[parent] == nr_zoom;

		k->is_seen[n] = k->is_seen[parent] && k->sums[n] &&
				(is_under ? k->sums[n] >= least : k->way[n] != NOT_ON_WAY);
	}
}

/* The seen nodes, with what they pass on to others that are not as their own. */
static struct profile *cut_tree(struct cutting *k)
{
	struct profile *out = profile_new(profile_frames(k->in));
	size_t nr = profile_nr_nodes(k->in), nr_zoom = k->choice->nr_zoom;
	_cleanup_free_ node_id *placed = xcalloc(nr, sizeof(*placed));
	_cleanup_free_ uint64_t *below = xcalloc(nr, sizeof(*below));

	for (node_id n = 1; n < nr; n++) {
		node_id parent = profile_parent(k->in, n);

		if (!k->is_seen[n])
			continue;
		placed[n] = profile_child(out, placed[parent], profile_frame(k->in, n));
		below[parent] += k->sums[n];
	}
	for (node_id n = 0; n < nr; n++)
		if (k->is_seen[n] && (k->way[n] == NOT_ON_WAY || k->way[n] == nr_zoom))
			profile_add(out, placed[n], k->sums[n] - below[n]);
	return out;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
	const struct live_row *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->level > y->level) - (x->level < y->level);
}

static void add_rows(const struct flame_layout *l, struct live_table *t)
{
	size_t nr = profile_nr_nodes(l->p);
	_cleanup_free_ uint64_t *keys = xcalloc(nr, sizeof(*keys));

	for (node_id n = 0; n < nr; n++) {
		frame_id frame = profile_frame(l->p, n);
		struct live_row *row;

		keys[n] = n ? hash_mix(keys[profile_parent(l->p, n)], frame) : 1;
		row = live_row_add(t, keys[n]);
		row->frame = frame;
		row->level = l->depth[n];
		row->at = l->at[n];
		row->paint = l->paint[n];
		row->values[0] = row->values[1] = l->sum[n];
		if (!n)
			row->name = live_text_add(t, "all", 3);
	}
	qsort(t->rows, t->nr, sizeof(*t->rows), by_place);
}

void live_flame_rows(const struct profile *shown, const struct live_choice *c, struct live_table *t)
{
	static const struct writer_opts opts = { .nr_bases = 0 };
	size_t nr = profile_nr_nodes(shown);
	_cleanup_free_ uint64_t *sums = xcalloc(nr, sizeof(*sums));
	_cleanup_free_ uint32_t *way = xcalloc(nr, sizeof(*way));
	_cleanup_free_ bool *is_seen = xcalloc(nr, sizeof(*is_seen));
	_cleanup_profile_ struct profile *cut = NULL;
	_cleanup_flame_layout_ struct flame_layout layout = { 0 };
	struct cutting k = { shown, c, sums, way, is_seen, 0 };

	t->columns = flame_columns;
	t->nr_columns = t->sorted = ARRAY_SIZE(flame_columns);
	t->name_title = "stacks";
	profile_sum(shown, sums);
	if (!find_zoom(&k))
		return;
	mark_seen(&k);
	cut = cut_tree(&k);
	flame_layout_init(&layout, cut, &opts, false);
	t->across = k.total;
	add_rows(&layout, t);
	t->nr_all = t->nr;
}

/* ---- moving ---------------------------------------------------------------------------------- */

static size_t above(const struct live_table *t, size_t row)
{
	uint32_t level = t->rows[row].level;

	while (row && t->rows[row].level >= level)
		row--;
	return row;
}

size_t live_flame_path(const struct live_table *t, size_t row, frame_id *ret_frames)
{
	size_t nr = t->rows[row].level;

	if (nr > LIVE_MAX_ZOOM)
		return 0;
	for (size_t i = nr; i; i--, row = above(t, row))
		ret_frames[i - 1] = t->rows[row].frame;
	return nr;
}

size_t live_flame_move(const struct live_table *t, size_t row, enum live_flame_way way)
{
	uint32_t level = row < t->nr ? t->rows[row].level : 0;

	if (row >= t->nr)
		return row;
	switch (way) {
	case LIVE_FLAME_UP:
		return level ? above(t, row) : row;
	case LIVE_FLAME_DOWN:
		return row + 1 < t->nr && t->rows[row + 1].level == level + 1 ? row + 1 : row;
	case LIVE_FLAME_LEFT:
		for (size_t i = row; i--;)
			if (t->rows[i].level == level)
				return i;
		break;
	case LIVE_FLAME_RIGHT:
		for (size_t i = row + 1; i < t->nr; i++)
			if (t->rows[i].level == level)
				return i;
		break;
	}
	return row;
}
