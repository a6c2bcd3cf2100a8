// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two columns of counts over one tree of stacks, and over one table of functions.  For Pearson's
 * sum no batch is kept: sum (c - e)^2 / e = due / count * sum c^2 / due_of_batch - count, so one
 * more number for each count is enough.
 */
#include "analysis/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/fdr.h"
#include "analysis/function_weights.h"
#include "util/mem.h"

struct tally {
	uint64_t count;
	double squares; /* sum of count^2 / due over the batches */
};

/* Tallies by id; what is beyond nr was never seen. */
struct tallies {
	struct tally *of;
	size_t nr, cap;
};

enum column { COLUMN_STACK, COLUMN_SELF, COLUMN_INCLUSIVE, NR_COLUMNS };

struct side {
	struct tallies columns[NR_COLUMNS]; /* by node of the shape, by function, by function */
	double due;
	uint64_t total;
	size_t nr_batches;
};

struct diff {
	struct profile *shape;
	struct side sides[NR_DIFF_SIDES];
};

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
	for (int s = 0; s < NR_DIFF_SIDES; s++)
		for (int c = 0; c < NR_COLUMNS; c++)
			free(d->sides[s].columns[c].of);
	profile_free(d->shape);
	free(d);
}

static void tallies_add(struct tallies *t, size_t id, uint64_t count, double due)
{
	if (!count)
		return;
	array_reserve(t->of, t->cap, id + 1);
	for (; t->nr <= id; t->nr++)
		t->of[t->nr] = (struct tally){ 0 };
	t->of[id].count += count;
	t->of[id].squares += (double)count * count / due;
}

static struct tally tally_of(const struct tallies *t, size_t id)
{
	return id < t->nr ? t->of[id] : (struct tally){ 0 };
}

static void add_functions(struct side *side, const struct profile *batch, double due)
{
	size_t nr = frame_table_nr(profile_frames(batch));
	_cleanup_free_ uint64_t *inclusive = xcalloc(nr, sizeof(*inclusive));
	_cleanup_free_ uint64_t *self = xcalloc(nr, sizeof(*self));

	function_weights(batch, inclusive, self);
	for (frame_id f = 0; f < nr; f++) {
		tallies_add(&side->columns[COLUMN_INCLUSIVE], f, inclusive[f], due);
		tallies_add(&side->columns[COLUMN_SELF], f, self[f], due);
	}
}

int diff_add(struct diff *d, enum diff_side which, const struct profile *batch, double due)
{
	struct side *side = &d->sides[which];
	_cleanup_free_ node_id *to = xcalloc(profile_nr_nodes(batch), sizeof(*to));
	uint64_t total;

	if (__builtin_add_overflow(diff_total(d, DIFF_BEFORE) + diff_total(d, DIFF_AFTER),
				   profile_total(batch), &total) ||
	    total > INT64_MAX)
		return -EOVERFLOW;
	for (node_id n = 1; n < profile_nr_nodes(batch); n++)
		to[n] = profile_child(d->shape, to[profile_parent(batch, n)],
				      profile_frame(batch, n));
	for (node_id n = 0; n < profile_nr_nodes(batch); n++)
		tallies_add(&side->columns[COLUMN_STACK], to[n], profile_self(batch, n), due);
	add_functions(side, batch, due);
	side->due += due;
	side->total += profile_total(batch);
	side->nr_batches++;
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
			df += d->sides[s].nr_batches - 1;
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

/* ---- tests ----------------------------------------------------------------------------------- */

/* Pearson's sum over the batches of the sides that have any of it, and its degrees of freedom. */
static double pearson_of(const struct diff *d, const struct tally tallies[NR_DIFF_SIDES],
			 double *ret_df)
{
	double pearson = 0, df = 0;

	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		const struct side *side = &d->sides[s];

		if (side->nr_batches < 2 || !tallies[s].count)
			continue;
		pearson += side->due / tallies[s].count * tallies[s].squares - tallies[s].count;
		df += side->nr_batches - 1;
	}
	*ret_df = df;
	return pearson;
}

static void tallies_in(const struct diff *d, enum column column, size_t id,
		       struct tally ret_tallies[NR_DIFF_SIDES])
{
	for (int s = 0; s < NR_DIFF_SIDES; s++)
		ret_tallies[s] = tally_of(&d->sides[s].columns[column], id);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of the dispersions in a list, of those that have enough to speak for themselves. */
static double usual_dispersion(const struct diff *d, enum column column, size_t nr)
{
	_cleanup_free_ double *all = xcalloc(nr, sizeof(*all));
	size_t nr_batches = d->sides[DIFF_BEFORE].nr_batches + d->sides[DIFF_AFTER].nr_batches,
	       n = 0;

	for (size_t id = 0; id < nr; id++) {
		struct tally tallies[NR_DIFF_SIDES];
		double df, pearson;

		tallies_in(d, column, id, tallies);
		pearson = pearson_of(d, tallies, &df);
		if (df >= DIFF_MIN_DF &&
		    tallies[DIFF_BEFORE].count + tallies[DIFF_AFTER].count >= nr_batches)
			all[n++] = pearson / df;
	}
	if (!n)
		return 1;
	qsort(all, n, sizeof(*all), compare_doubles);
	return fmax(1, all[n / 2]);
}

/* What is missing to DIFF_MIN_DF is taken from the list: see the header. */
static void add_scatter(const struct diff *d, const struct tally tallies[NR_DIFF_SIDES],
			double usual, struct rate_pair *rates)
{
	double df, pearson = pearson_of(d, tallies, &df);

	if (df < DIFF_MIN_DF) {
		pearson += (DIFF_MIN_DF - df) * usual;
		df = DIFF_MIN_DF;
	}
	rates->df = df;
	rates->dispersion = fmax(1, pearson / df);
}

/* How the numbers of one list are compared. */
struct list {
	const struct diff *diff;
	enum column column;
	double level, usual_dispersion;
};

static struct list list_of(const struct diff *d, enum column column, size_t nr, double level)
{
	bool has_scatter = diff_has_scatter(d);

	return (struct list){ d, column, level, has_scatter ? usual_dispersion(d, column, nr) : 1 };
}

static struct diff_number compare_in(const struct list *list, size_t id)
{
	const struct diff *d = list->diff;
	struct tally tallies[NR_DIFF_SIDES];
	struct diff_number n = {
		.rates = { .due_before = d->sides[DIFF_BEFORE].due,
			   .due_after = d->sides[DIFF_AFTER].due,
			   .dispersion = 1 },
		.p = 1,
		.q = 1,
	};

	tallies_in(d, list->column, id, tallies);
	n.rates.before = tallies[DIFF_BEFORE].count;
	n.rates.after = tallies[DIFF_AFTER].count;
	if (!n.rates.before && !n.rates.after)
		return n;
	if (diff_has_scatter(d))
		add_scatter(d, tallies, list->usual_dispersion, &n.rates);
	n.is_tested = rate_pair_least_p(&n.rates) <= list->level;
	if (n.is_tested)
		n.p = rate_pair_p(&n.rates);
	return n;
}

/* The numbers of a row that are in the list. */
static size_t tested(struct diff_row *row, struct diff_number *numbers[2])
{
	size_t nr = 0;

	if (row->self.is_tested)
		numbers[nr++] = &row->self;
	if (row->inclusive.is_tested)
		numbers[nr++] = &row->inclusive;
	return nr;
}

static void adjust(struct diff_rows *rows)
{
	_cleanup_free_ double *p = xcalloc(2 * rows->nr, sizeof(*p));
	_cleanup_free_ double *q = xcalloc(2 * rows->nr, sizeof(*q));
	struct diff_number *numbers[2];
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < rows->nr; i++)
		for (size_t k = 0, n = tested(&rows->rows[i], numbers); k < n; k++)
			p[nr++] = numbers[k]->p;
	fdr_adjust(p, nr, q);
	for (size_t i = 0; i < rows->nr; i++)
		for (size_t k = 0, n = tested(&rows->rows[i], numbers); k < n; k++)
			numbers[k]->q = q[at++];
	rows->nr_tests = nr;
}

static bool has_samples(const struct diff_number *n)
{
	return n->rates.before || n->rates.after;
}

void diff_functions(const struct diff *d, double level, struct diff_rows *ret_rows)
{
	size_t nr = frame_table_nr(profile_frames(d->shape));
	struct diff_rows rows = { .rows = xcalloc(nr, sizeof(*rows.rows)) };
	const struct list inclusive = list_of(d, COLUMN_INCLUSIVE, nr, level);
	const struct list self = list_of(d, COLUMN_SELF, nr, level);

	for (frame_id f = 1; f < nr; f++) {
		struct diff_row row = {
			.id = f,
			.inclusive = compare_in(&inclusive, f),
		};

		if (!has_samples(&row.inclusive))
			continue;
		row.self = compare_in(&self, f);
		rows.rows[rows.nr++] = row;
	}
	adjust(&rows);
	*ret_rows = rows;
}

void diff_stacks(const struct diff *d, double level, struct diff_rows *ret_rows)
{
	size_t nr = profile_nr_nodes(d->shape);
	struct diff_rows rows = { .rows = xcalloc(nr, sizeof(*rows.rows)) };
	const struct list stacks = list_of(d, COLUMN_STACK, nr, level);

	for (node_id n = 0; n < nr; n++) {
		struct diff_row row = {
			.id = n,
			.self = compare_in(&stacks, n),
		};

		if (has_samples(&row.self))
			rows.rows[rows.nr++] = row;
	}
	adjust(&rows);
	*ret_rows = rows;
}
