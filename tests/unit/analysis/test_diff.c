// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The numbers of small cases by hand, and what the marks promise by simulation: functions nested
 * as callers and callees are, samples drawn with and without scatter between windows.
 */
#include "unit/unit.h"
#include "unit/analysis/chance.h"

#include <math.h>

#include "analysis/diff.h"
#include "util/mem.h"

#define LEVEL 0.05

static void add(struct profile *p, const char *stack, uint64_t count)
{
	frame_id frames[16];
	size_t nr = 0;

	for (const char *s = stack; *s; s += strspn(s, ";")) {
		size_t len = strcspn(s, ";");

		frames[nr++] = frame_table_add_text(profile_frames(p), s, len);
		s += len;
	}
	profile_add(p, profile_stack(p, frames, nr), count);
}

static const struct diff_row *row_of(const struct diff *d, const struct diff_rows *rows,
				     const char *name)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(frame_table_name(profile_frames(diff_shape(d)), rows->rows[i].id, NULL),
			    name))
			return &rows->rows[i];
	return NULL;
}

static void test_two_files(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	_cleanup_diff_ struct diff *d = diff_new(t);
	_cleanup_profile_ struct profile *a = profile_new(t), *b = profile_new(t), *back = NULL;
	struct diff_rows rows;
	const struct diff_row *row;

	add(a, "main;f;f", 120);
	add(a, "main;old", 30);
	add(b, "main;f;f", 171);
	add(b, "main;new", 40);
	assert_int_equal(diff_add(d, DIFF_BEFORE, a, 3960), 0);
	assert_int_equal(diff_add(d, DIFF_AFTER, b, 3960), 0);
	assert_false(diff_has_scatter(d));
	diff_functions(d, LEVEL, &rows);
	assert_int_equal(rows.nr, 4);
	/* f, old, new: inclusive and self; main: inclusive only */
	assert_int_equal(rows.nr_tests, 7);
	row = row_of(d, &rows, "f");
	assert_int_equal(row->inclusive.rates.before, 120);
	assert_int_equal(row->inclusive.rates.after, 171);
	assert_true(fabs(row->self.p - 0.0033087986331269037) < 1e-12);
	assert_true(fabs(diff_change(&row->self) - 51.0 / 3960) < 1e-12);
	assert_true(row->self.q <= LEVEL);
	row = row_of(d, &rows, "main");
	assert_int_equal(row->self.rates.before + row->self.rates.after, 0);
	assert_false(row->self.is_tested);
	row = row_of(d, &rows, "old");
	assert_int_equal(row->self.rates.after, 0);
	assert_true(row->self.q < 1e-6);
	free(rows.rows);

	diff_stacks(d, LEVEL, &rows);
	assert_int_equal(rows.nr, 3);
	assert_int_equal(rows.nr_tests, 3);
	free(rows.rows);
	back = diff_profile(d, DIFF_AFTER);
	assert_int_equal(profile_total(back), 211);
	assert_int_equal(profile_nr_stacks(back), 2);
}

static void test_pearson_by_hand(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	_cleanup_diff_ struct diff *d = diff_new(t);
	/* before: 3 windows of due 100, 200, 100 with 10, 40, 30: rate 0.2, expected 20, 40, 20 */
	static const uint64_t counts[2][3] = { { 10, 40, 30 }, { 20, 20, 20 } };
	static const double due[] = { 100, 200, 100 };
	struct diff_rows rows;

	for (int s = 0; s < 2; s++)
		for (int i = 0; i < 3; i++) {
			_cleanup_profile_ struct profile *p = profile_new(t);

			add(p, "f", counts[s][i]);
			diff_add(d, s, p, s ? 100 : due[i]);
		}
	assert_true(diff_has_scatter(d));
	diff_functions(d, LEVEL, &rows);
	/* (100 + 0 + 100) / 20 = 10 before, 0 after, by 2 + 2 */
	assert_true(fabs(rows.rows[0].self.rates.dispersion - 10.0 / 4) < 1e-12);
	assert_true(fabs(rows.rows[0].self.rates.df - 4) < 1e-12);
	free(rows.rows);
}

/* Windows of due 1000: those of f go round, g is the same in each. */
static void add_windows(struct diff *d, struct frame_table *t, enum diff_side side, int nr,
			const uint64_t f[], uint64_t g)
{
	for (int i = 0; i < nr; i++) {
		_cleanup_profile_ struct profile *p = profile_new(t);

		add(p, "f", f[i % 4]);
		add(p, "g", g);
		diff_add(d, side, p, 1000);
	}
}

/* What is gone has no degrees of freedom after, and few or none before: the list lends them. */
static void test_gone(void **state)
{
	static const uint64_t steady[] = { 100, 100, 100, 100 }, wild[] = { 60, 140, 40, 160 };
	/* e = 100: (40^2 + 40^2 + 60^2 + 60^2) / 100 = 104 every four windows */
	static const struct {
		int nr_before, nr_after;
		const uint64_t *f;
		uint64_t g;
		double dispersion;
		bool is_marked;
	} cases[] = {
		{ 2, 4, steady, 205, 1, true },
		{ 1, 9, steady, 40, 1, true },
		{ 1, 9, wild, 10, 0, false }, /* the list's, whatever it is by its last window */
		{ 4, 4, wild, 205, (0 + 1 * 208. / 6) / 4, true },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		_cleanup_frame_table_ struct frame_table *t = frame_table_new();
		_cleanup_diff_ struct diff *d = diff_new(t);
		const struct diff_row *f, *g;
		struct diff_rows rows;

		add_windows(d, t, DIFF_BEFORE, cases[c].nr_before, cases[c].f, cases[c].g);
		add_windows(d, t, DIFF_AFTER, cases[c].nr_after, cases[c].f, 0);
		diff_functions(d, LEVEL, &rows);
		f = row_of(d, &rows, "f");
		g = row_of(d, &rows, "g");
		assert_true(g->self.rates.df == DIFF_MIN_DF);
		assert_true(fabs(g->self.rates.dispersion -
				 (cases[c].dispersion > 0 ? cases[c].dispersion
							  : f->self.rates.dispersion)) < 1e-9);
		assert_int_equal(g->self.q <= LEVEL, cases[c].is_marked);
		free(rows.rows);
	}
}

static void test_overflow(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	_cleanup_diff_ struct diff *d = diff_new(t);
	_cleanup_profile_ struct profile *p = profile_new(t);

	add(p, "f", INT64_MAX);
	assert_int_equal(diff_add(d, DIFF_BEFORE, p, 1), 0);
	assert_int_equal(diff_add(d, DIFF_AFTER, p, 1), -EOVERFLOW);
}

/* ---- simulation ------------------------------------------------------------------------------ */

enum { NR_STACKS = 60, NR_WINDOWS = 10 };

struct model {
	char stacks[NR_STACKS][64]; /* nested: callers hold what their callees have */
	double rates[2][NR_STACKS];
	double scatter; /* standard deviation of a window's rate by the rate */
};

static void model_init(struct model *m)
{
	for (int i = 0; i < NR_STACKS; i++) {
		snprintf(m->stacks[i], sizeof(m->stacks[i]), "app;main;g%d;h%d;f%d", i / 20, i / 5,
			 i);
		m->rates[0][i] = m->rates[1][i] = 0.3 / (1 + i) / (1 + i % 7);
	}
}

static struct diff *simulate(const struct model *m, struct frame_table *t, int nr_windows,
			     double due)
{
	struct diff *d = diff_new(t);

	for (int s = 0; s < 2; s++)
		for (int w = 0; w < nr_windows; w++) {
			_cleanup_profile_ struct profile *p = profile_new(t);

			for (int i = 0; i < NR_STACKS; i++) {
				double by = 1 + m->scatter * chance_normal();

				add(p, m->stacks[i],
				    chance_poisson(fmax(0, by) * m->rates[s][i] * due /
						   nr_windows));
			}
			diff_add(d, s, p, due / nr_windows);
		}
	return d;
}

/* Does anything of the list look changed? */
static bool any_mark(const struct diff *d)
{
	struct diff_rows rows;
	bool found = false;

	diff_functions(d, LEVEL, &rows);
	for (size_t i = 0; i < rows.nr; i++)
		found |= rows.rows[i].self.q <= LEVEL || rows.rows[i].inclusive.q <= LEVEL;
	free(rows.rows);
	return found;
}

/* Where nothing has changed every mark is false: the share of lists with one is the level. */
static double false_marks(double scatter, int nr_windows, int rounds)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	struct model m = { .scatter = scatter };
	int found = 0;

	model_init(&m);
	for (int i = 0; i < rounds; i++) {
		_cleanup_diff_ struct diff *d = simulate(&m, t, nr_windows, 4000);

		found += any_mark(d);
	}
	return (double)found / rounds;
}

static void test_nothing_changed(void **state)
{
	double plain = false_marks(0, 1, 600), scattered = false_marks(0.5, NR_WINDOWS, 200);

	print_message("# lists with a false mark: %.3f, with scatter %.3f\n", plain, scattered);
	/* 0.05 and three standard deviations of 600 and 200 rounds */
	assert_true(plain <= LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / 600));
	assert_true(scattered <= LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / 200));
}

/* What the windows are for: without them the same scatter is taken for a change. */
static void test_scatter_needs_windows(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	struct model m = { .scatter = 0.5 };
	int one = 0;

	model_init(&m);
	for (int i = 0; i < 60; i++) {
		_cleanup_diff_ struct diff *d = simulate(&m, t, 1, 4000);

		one += any_mark(d);
	}
	assert_true(one > 30);
}

static void test_change_is_found(void **state)
{
	static const struct {
		double scatter;
		int nr_windows;
		double factor;
	} cases[] = { { 0, 1, 1.5 }, { 0.2, NR_WINDOWS, 2 } };
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();

	for (int c = 0; c < 2; c++) {
		int found = 0, marked = 0, wrong = 0;

		for (int i = 0; i < 60; i++) {
			struct model m = { .scatter = cases[c].scatter };
			_cleanup_diff_ struct diff *d = NULL;
			struct diff_rows rows;

			model_init(&m);
			m.rates[1][0] *= cases[c].factor; /* f0, and with it its callers */
			m.rates[1][7] = 0;
			d = simulate(&m, t, cases[c].nr_windows, 8000);
			diff_functions(d, LEVEL, &rows);
			found += row_of(d, &rows, "f0")->self.q <= LEVEL;
			for (size_t k = 0; k < rows.nr; k++) {
				const char *name = frame_table_name(t, rows.rows[k].id, NULL);
				bool is_mark = *name == 'f' && rows.rows[k].self.q <= LEVEL;

				marked += is_mark;
				wrong += is_mark && strcmp(name, "f0") && strcmp(name, "f7");
			}
			free(rows.rows);
		}
		print_message("# change found in %d of 60, %d of %d marks wrong\n", found, wrong,
			      marked);
		assert_true(found >= 57);
		assert_true(wrong <= marked / 8);
	}
}

/* Each box of a flame graph: all stacks through it, in each batch. */
static void test_paths(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	_cleanup_diff_ struct diff *d = diff_new(t);
	struct diff_rows rows;

	diff_keep_paths(d);
	for (int i = 0; i < 4; i++) {
		_cleanup_profile_ struct profile *p = profile_new(t);

		add(p, "main;f;g", 10 + i);
		add(p, "main;f", 5);
		add(p, i < 2 ? "main;g" : "main;f;new", 200);
		assert_int_equal(diff_add(d, i / 2, p, 1000), 0);
	}
	diff_paths(d, LEVEL, &rows);
	assert_int_equal(rows.nr, profile_nr_nodes(diff_shape(d)));
	for (size_t i = 0; i < rows.nr; i++) {
		_cleanup_profile_ struct profile *before = diff_profile(d, DIFF_BEFORE);
		_cleanup_profile_ struct profile *after = diff_profile(d, DIFF_AFTER);
		const struct diff_number *n = &rows.rows[i].self;
		uint64_t sums[2][8];

		assert_true(rows.nr <= 8);
		profile_sum(before, sums[0]);
		profile_sum(after, sums[1]);
		assert_int_equal(n->rates.before, sums[0][rows.rows[i].id]);
		assert_int_equal(n->rates.after, sums[1][rows.rows[i].id]);
		assert_true(n->rates.due_before == 2000);
	}
	/* all, main; main;f (31 to 435): the test of its sum, not of what ends there (10 to 10) */
	assert_true(rows.rows[0].self.q > LEVEL);
	assert_int_equal(rows.rows[2].self.rates.before, 31);
	assert_int_equal(rows.rows[2].self.rates.after, 435);
	assert_true(rows.rows[2].self.q <= LEVEL);
	free(rows.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_files),
		cmocka_unit_test(test_pearson_by_hand),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_nothing_changed),
		cmocka_unit_test(test_scatter_needs_windows),
		cmocka_unit_test(test_change_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
