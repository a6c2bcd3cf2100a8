// SPDX-License-Identifier: GPL-2.0-or-later
/* Two columns of counts over one tree of stacks, and over one table of functions. */
#include "analysis/diff.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/diff_tally.h"
#include "analysis/function_weights.h"
#include "util/mem.h"

struct diff *diff_new(struct frame_table *frames)
{
	struct diff *d = xcalloc(1, sizeof(*d));

	d->shape = profile_new(frames);
	return d;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		for (int c = 0; c < NR_COLUMNS; c++) {
			free(d->sides[s].columns[c].of);
			free(d->sides[s].columns[c].cells);
		}
		free(d->sides[s].dues);
	}
	profile_free(d->shape);
	free(d);
}

/* Batches come one after the other, and a stack may come again in one of them. */
static void tallies_add(struct tallies *t, size_t id, uint64_t count, uint32_t batch)
{
	struct tally *tally;

	if (!count)
		return;
	array_reserve(t->of, t->cap, id + 1);
	for (; t->nr <= id; t->nr++)
		t->of[t->nr] = (struct tally){ 0 };
	tally = &t->of[id];
	tally->count += count;
	if (!tally->last || t->cells[tally->last - 1].batch != batch) {
		array_reserve(t->cells, t->cap_cells, t->nr_cells + 1);
		t->cells[t->nr_cells++] = (struct cell){ 0, batch, tally->last };
		tally->last = t->nr_cells;
	}
	t->cells[tally->last - 1].count += count;
}

static void add_functions(struct diff_side_tallies *side, const struct profile *batch)
{
	size_t nr = frame_table_nr(profile_frames(batch));
	_cleanup_free_ uint64_t *inclusive = xcalloc(nr, sizeof(*inclusive));
	_cleanup_free_ uint64_t *self = xcalloc(nr, sizeof(*self));

	function_weights(batch, inclusive, self);
	for (frame_id f = 0; f < nr; f++) {
		tallies_add(&side->columns[COLUMN_INCLUSIVE], f, inclusive[f], side->nr_batches);
		tallies_add(&side->columns[COLUMN_SELF], f, self[f], side->nr_batches);
	}
}

static void add_paths(struct diff_side_tallies *side, const struct profile *batch,
		      const node_id *to)
{
	size_t nr = profile_nr_nodes(batch);
	_cleanup_free_ uint64_t *sums = xcalloc(nr, sizeof(*sums));

	profile_sum(batch, sums);
	for (node_id n = 0; n < nr; n++)
		tallies_add(&side->columns[COLUMN_PATH], to[n], sums[n], side->nr_batches);
}

void diff_keep_paths(struct diff *d)
{
	d->has_paths = true;
}

int diff_add(struct diff *d, enum diff_side which, const struct profile *batch, double due)
{
	struct diff_side_tallies *side = &d->sides[which];
	_cleanup_free_ node_id *to = xcalloc(profile_nr_nodes(batch), sizeof(*to));
	uint64_t total;

	/* What came before is at most INT64_MAX, so its own sum cannot overflow. */
	if (__builtin_add_overflow(diff_total(d, DIFF_BEFORE) + diff_total(d, DIFF_AFTER),
				   profile_total(batch), &total) ||
	    total > INT64_MAX)
		return -EOVERFLOW;
	for (node_id n = 1; n < profile_nr_nodes(batch); n++)
		to[n] = profile_child(d->shape, to[profile_parent(batch, n)],
				      profile_frame(batch, n));
	for (node_id n = 0; n < profile_nr_nodes(batch); n++)
		tallies_add(&side->columns[COLUMN_STACK], to[n], profile_self(batch, n),
			    side->nr_batches);
	add_functions(side, batch);
	if (d->has_paths)
		add_paths(side, batch, to);
	side->due += due;
	side->total += profile_total(batch);
	array_reserve(side->dues, side->cap_batches, side->nr_batches + 1);
	side->dues[side->nr_batches++] = due;
	return 0;
}

double diff_due(const struct diff *d, enum diff_side side)
{
	return d->sides[side].due;
}

uint64_t diff_total(const struct diff *d, enum diff_side side)
{
	return d->sides[side].total;
}

size_t diff_nr_batches(const struct diff *d, enum diff_side side)
{
	return d->sides[side].nr_batches;
}

bool diff_has_scatter(const struct diff *d)
{
	size_t df = 0;

	for (int s = 0; s < NR_DIFF_SIDES; s++)
		if (d->sides[s].nr_batches)
			df += d->sides[s].nr_batches - 1; /* one goes into the side's own rate */
	return df >= DIFF_MIN_DF;
}

const struct profile *diff_shape(const struct diff *d)
{
	return d->shape;
}

struct profile *diff_profile(const struct diff *d, enum diff_side side)
{
	struct profile *p = profile_new(profile_frames(d->shape));

	/* Node by node in the same order, so that they have the same numbers. */
	for (node_id n = 0; n < profile_nr_nodes(d->shape); n++) {
		if (n)
			profile_child(p, profile_parent(d->shape, n), profile_frame(d->shape, n));
		profile_add(p, n, tally_of(&d->sides[side].columns[COLUMN_STACK], n).count);
	}
	return p;
}

double diff_change(const struct diff_number *n)
{
	return n->rates.after / n->rates.due_after - n->rates.before / n->rates.due_before;
}
