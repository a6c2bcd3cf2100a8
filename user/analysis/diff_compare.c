// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which differences are more than chance: every stack or function is a test, its list is where
 * dispersions are borrowed and the rate of false discoveries is kept.
 */
#include "analysis/diff.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/diff_tally.h"
#include "analysis/fdr.h"
#include "util/mem.h"

/* Of a list that lends dispersions: members, its loan by a member's own degrees, who takes none */
#define MIN_SHARING 10
#define MAX_SHARED  10
#define OUTLIER	    2.0

/*
 * Pearson's residuals of the sides that have any of it: their squares are its sum.  The room is for
 * as many as the side with most batches has.
 */
static double series_of(const struct diff *d, enum diff_column column,
			const struct tally tallies[NR_DIFF_SIDES], double *room,
			struct drift_series *ret_series)
{
	double df = 0;

	*ret_series = (struct drift_series){ 0 };
	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		const struct diff_side_tallies *side = &d->sides[s];
		const struct cell *cells = side->columns[column].cells;
		double rate = tallies[s].count / side->due;

		if (side->nr_batches < 2 || !tallies[s].count)
			continue;
		for (size_t i = 0; i < side->nr_batches; i++)
			room[i] = -sqrt(rate * side->dues[i]);
		for (uint32_t c = tallies[s].last; c; c = cells[c - 1].next)
			room[cells[c - 1].batch] +=
				cells[c - 1].count / sqrt(rate * side->dues[cells[c - 1].batch]);
		drift_series_add(ret_series, s, room, side->nr_batches);
		df += side->nr_batches - 1;
	}
	return df;
}

static void tallies_in(const struct diff *d, enum diff_column column, size_t id,
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

/* How the numbers of one list are compared. */
struct list {
	const struct diff *diff;
	enum diff_column column;
	double level;
	double *room; /* see series_of() */
	double usual_dispersion;
	double shared_dispersion, shared_df; /* see share_dispersion(); 0: none */
	struct drift drift;
};

/*
 * What a list lends its members: estimates of dispersions that scatter no more than df degrees of
 * freedom explain are estimates of one (Smyth 2004; the digamma and trigamma functions of df / 2 by
 * their expansions).  Those who have dispersions of their own make the loan small.
 */
static void share_dispersion(struct list *l, const double *dispersions, size_t nr, double df)
{
	double half = df / 2, sum = 0, squares = 0, excess;

	if (nr < MIN_SHARING)
		return;
	for (size_t i = 0; i < nr; i++) {
		double e =
			log(fmax(dispersions[i], 1e-6)) + 1 / (2 * half) + 1 / (12 * half * half);

		sum += e;
		squares += e * e;
	}
	sum /= nr;
	excess = (squares - nr * sum * sum) / (nr - 1) - 1 / half - 1 / (2 * half * half);
	l->shared_dispersion = exp(sum);
	l->shared_df = excess > 0 ? fmin(2 / excess + 1, MAX_SHARED * df) : MAX_SHARED * df;
}

/*
 * The median of the dispersions in a list, and its drift, by those that have enough to speak for
 * themselves.
 */
static void look_at_scatter(struct list *l, size_t nr)
{
	const struct diff *d = l->diff;
	_cleanup_free_ double *all = xcalloc(nr, sizeof(*all));
	size_t nr_batches = d->sides[DIFF_BEFORE].nr_batches + d->sides[DIFF_AFTER].nr_batches,
	       n = 0;
	struct drift_list drift = { .nr = 0 };
	double most_df = 0;

	for (size_t id = 0; id < nr; id++) {
		struct tally tallies[NR_DIFF_SIDES];
		struct drift_series series;
		double df;

		tallies_in(d, l->column, id, tallies);
		if (tallies[DIFF_BEFORE].count + tallies[DIFF_AFTER].count < nr_batches)
			continue;
		df = series_of(d, l->column, tallies, l->room, &series);
		if (df < DIFF_MIN_DF)
			continue;
		most_df = fmax(most_df, df);
		all[n++] = series.squares / df;
		drift_list_add(&drift, &series);
	}
	if (!n)
		return;
	qsort(all, n, sizeof(*all), compare_doubles);
	l->usual_dispersion = fmax(1, all[n / 2]);
	share_dispersion(l, all, n, most_df);
	l->drift = drift_of_list(&drift);
}

static struct list list_of(const struct diff *d, enum diff_column column, size_t nr, double level)
{
	size_t most = d->sides[DIFF_BEFORE].nr_batches > d->sides[DIFF_AFTER].nr_batches
			      ? d->sides[DIFF_BEFORE].nr_batches
			      : d->sides[DIFF_AFTER].nr_batches;
	struct list l = {
		.diff = d,
		.column = column,
		.level = level,
		.room = xcalloc(most, sizeof(*l.room)),
		.usual_dispersion = 1,
	};

	if (diff_has_scatter(d))
		look_at_scatter(&l, nr);
	return l;
}

static void list_deinit(struct list *l)
{
	free(l->room);
}
#define _cleanup_list_ __attribute__((cleanup(list_deinit)))

/*
 * What the drift makes of both sides together: the variance of after * due_before - before *
 * due_after.  A side that is one batch drifts as the other does, or it is not known to.
 */
static double inflation_of(const struct diff *d, const struct drift *drift)
{
	double of[NR_DIFF_SIDES], due = d->sides[DIFF_BEFORE].due + d->sides[DIFF_AFTER].due;

	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		size_t nr = d->sides[s].nr_batches;

		of[s] = drift_inflation(drift, nr > 1 ? nr : d->sides[!s].nr_batches);
	}
	return (of[DIFF_AFTER] * d->sides[DIFF_BEFORE].due +
		of[DIFF_BEFORE] * d->sides[DIFF_AFTER].due) /
	       due;
}

/* Wilson and Hilferty: by how many standard deviations a sum of squares is more than chance. */
static double chi_excess(double squares, double df)
{
	return (cbrt(squares / df) - 1 + 2 / (9 * df)) / sqrt(2 / (9 * df));
}

/* Without drift: the dispersion of its own and the list's together, unless its own stands out. */
static void moderate(const struct list *l, double *variance, double *df)
{
	double own = *variance * *df, all = *df + l->shared_df;

	if (!(l->shared_df > 0) || chi_excess(own / fmax(1, l->shared_dispersion), *df) > OUTLIER)
		return;
	*variance = (own + l->shared_df * l->shared_dispersion) / all;
	*df = all;
}

/* What is missing to DIFF_MIN_DF is taken from the list: see the header. */
static void add_scatter(const struct list *l, const struct tally tallies[NR_DIFF_SIDES],
			struct rate_pair *rates)
{
	struct drift_series series;
	struct drift drift;
	double df = series_of(l->diff, l->column, tallies, l->room, &series), variance;

	drift = drift_of(&series, &l->drift);
	if (df < DIFF_MIN_DF) {
		variance =
			(series.squares + (DIFF_MIN_DF - df) * l->usual_dispersion) / DIFF_MIN_DF;
		rates->df = DIFF_MIN_DF;
	} else {
		drift_variance(&series, &drift, &variance, &rates->df);
		if (!(drift.share > 0))
			moderate(l, &variance, &rates->df);
	}
	rates->dispersion = fmax(1, variance) * inflation_of(l->diff, &drift);
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
		add_scatter(list, tallies, &n.rates);
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
	_cleanup_list_ struct list inclusive = list_of(d, COLUMN_INCLUSIVE, nr, level);
	_cleanup_list_ struct list self = list_of(d, COLUMN_SELF, nr, level);

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
	rows.drift = self.drift.is_seen ? self.drift : inclusive.drift;
	adjust(&rows);
	*ret_rows = rows;
}

static void compare_nodes(const struct diff *d, enum diff_column column, double level,
			  struct diff_rows *ret_rows)
{
	size_t nr = profile_nr_nodes(d->shape);
	struct diff_rows rows = { .rows = xcalloc(nr, sizeof(*rows.rows)) };
	_cleanup_list_ struct list stacks = list_of(d, column, nr, level);

	for (node_id n = 0; n < nr; n++) {
		struct diff_row row = {
			.id = n,
			.self = compare_in(&stacks, n),
		};

		if (has_samples(&row.self))
			rows.rows[rows.nr++] = row;
	}
	rows.drift = stacks.drift;
	adjust(&rows);
	*ret_rows = rows;
}

void diff_stacks(const struct diff *d, double level, struct diff_rows *ret_rows)
{
	compare_nodes(d, COLUMN_STACK, level, ret_rows);
}

void diff_paths(const struct diff *d, double level, struct diff_rows *ret_rows)
{
	compare_nodes(d, COLUMN_PATH, level, ret_rows);
}
