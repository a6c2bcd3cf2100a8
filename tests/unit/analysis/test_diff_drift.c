// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What marks promise where windows are not alike, by simulation: lists of functions in 30 and 30
 * windows in which nothing has changed, and such in which one function has.  Counts are Poisson's
 * given rates that stand still, scatter, burst or wander (AR(1)).
 */
#include "unit/unit.h"
#include "unit/analysis/chance.h"

#include <math.h>

#include "analysis/diff.h"
#include "util/mem.h"

#define LEVEL 0.05

enum { NR_FUNCTIONS = 60, NR_WINDOWS = 30, NR_SAMPLES = 20000, ROUNDS = 300 };
enum { CHANGED = 1 }; /* the function of 5 % */

/* Marsaglia and Tsang's gamma variate of mean 1, shape > 1. */
static double gamma_of(double shape)
{
	double d = shape - 1. / 3, c = 1 / sqrt(9 * d);

	for (;;) {
		double x = chance_normal(), v = 1 + c * x;

		v = v * v * v;
		if (v > 0 && log(1 - chance_uniform()) < x * x / 2 + d - d * v + d * log(v))
			return d * v / shape;
	}
}

/* How the rate of one function goes on from window to window. */
struct model {
	const char *name;
	double gamma_shape;    /* > 0: independent from window to window */
	double burst;	       /* > 0: so many times as much in bursts of 3 windows */
	double drift, rho;     /* standard deviation of an AR(1) process of the rate's logarithm */
	int drifts_every;      /* function of so many; 1: all */
	bool is_common;	       /* one process for all */
	double factor;	       /* of CHANGED, after */
	double least, most;    /* lists with a mark, or those that mark CHANGED */
	bool is_about_changed; /* the latter */
};

struct state {
	double ar;
	int burst_left;
};

static double step(const struct model *m, struct state *s, const struct state *first, bool drifts)
{
	double by = 1, ar;

	s->ar = m->rho * s->ar + sqrt(1 - m->rho * m->rho) * chance_normal();
	ar = m->is_common ? first->ar : s->ar;
	if (m->gamma_shape > 0)
		by = gamma_of(m->gamma_shape);
	if (m->burst > 0 && s->burst_left > 0)
		s->burst_left--;
	else if (m->burst > 0 && chance_uniform() < 0.04)
		s->burst_left = 3;
	if (m->burst > 0 && drifts && s->burst_left > 0)
		by *= m->burst;
	return drifts ? by * exp(m->drift * ar - m->drift * m->drift / 2) : by;
}

static double share_of(int f)
{
	return f == CHANGED ? 0.05 : 0.6 / (1 + f) / (1 + f % 7);
}

static struct diff *simulate(const struct model *m, struct frame_table *t, int nr_windows)
{
	struct diff *d = diff_new(t);
	struct state states[NR_FUNCTIONS] = { 0 };

	for (int f = 0; f < NR_FUNCTIONS; f++)
		states[f].ar = chance_normal();
	for (int w = 0; w < 2 * nr_windows; w++) {
		_cleanup_profile_ struct profile *p = profile_new(t);
		bool is_after = w >= nr_windows;

		for (int f = 0; f < NR_FUNCTIONS; f++) {
			bool drifts =
				m->drifts_every && f % m->drifts_every == CHANGED % m->drifts_every;
			double rate = share_of(f) * step(m, &states[f], &states[0], drifts);
			char name[16];
			frame_id frame;

			if (f == CHANGED && is_after)
				rate *= m->factor;
			snprintf(name, sizeof(name), "f%d", f);
			frame = frame_table_add_text(t, name, strlen(name));
			profile_add(p, profile_stack(p, &frame, 1),
				    chance_poisson(rate * NR_SAMPLES / nr_windows));
		}
		diff_add(d, is_after ? DIFF_AFTER : DIFF_BEFORE, p, 1e5 / nr_windows);
	}
	return d;
}

/* Is anything marked; is CHANGED? */
static bool is_marked(const struct diff *d, bool is_about_changed)
{
	struct diff_rows rows;
	bool found = false;

	diff_functions(d, LEVEL, &rows);
	for (size_t i = 0; i < rows.nr; i++) {
		const char *name =
			frame_table_name(profile_frames(diff_shape(d)), rows.rows[i].id, NULL);

		if (!is_about_changed || !strcmp(name, "f1"))
			found |= rows.rows[i].self.q <= LEVEL;
	}
	free(rows.rows);
	return found;
}

static double marked(const struct model *m, int nr_windows, int rounds)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	int found = 0;

	for (int i = 0; i < rounds; i++) {
		_cleanup_diff_ struct diff *d = simulate(m, t, nr_windows);

		found += is_marked(d, m->is_about_changed);
	}
	return (double)found / rounds;
}

/* Two standard deviations over the level: what 300 lists of a test at 5 % stay below. */
#define AT_LEVEL (LEVEL + 2 * sqrt(LEVEL * (1 - LEVEL) / ROUNDS))

/* Found in 80 %, less two standard deviations. */
#define POWER (0.8 - 2 * sqrt(0.8 * 0.2 / ROUNDS))

static void check(const struct model *models, size_t nr, int nr_windows)
{
	for (size_t i = 0; i < nr; i++) {
		double is = marked(&models[i], nr_windows, ROUNDS);

		print_message("# %s: %.3f\n", models[i].name, is);

		assert_true(is >= models[i].least && is <= models[i].most);
	}
}

static void test_nothing_changed(void **state)
{
	const struct model models[] = {
		{ .name = "Poisson", .factor = 1, .most = AT_LEVEL },
		{ .name = "gamma 0.5", .gamma_shape = 4, .factor = 1, .most = AT_LEVEL },
		{ .name = "bursts", .burst = 5, .drifts_every = 3, .factor = 1, .most = AT_LEVEL },
		{ .name = "long bursts",
		  .burst = 20,
		  .drifts_every = 3,
		  .factor = 1,
		  .most = AT_LEVEL },
		{ .name = "drift 0.1",
		  .drift = 0.1,
		  .rho = 0.9,
		  .drifts_every = 1,
		  .factor = 1,
		  .most = AT_LEVEL },
		{ .name = "drift 0.3",
		  .drift = 0.3,
		  .rho = 0.9,
		  .drifts_every = 1,
		  .factor = 1,
		  .most = AT_LEVEL },
		{ .name = "drift 0.6",
		  .drift = 0.6,
		  .rho = 0.9,
		  .drifts_every = 1,
		  .factor = 1,
		  .most = AT_LEVEL },
		{ .name = "common drift",
		  .drift = 0.3,
		  .rho = 0.9,
		  .drifts_every = 1,
		  .is_common = true,
		  .factor = 1,
		  .most = AT_LEVEL },
		{ .name = "one in eight drifts",
		  .drift = 0.5,
		  .rho = 0.9,
		  .drifts_every = 8,
		  .factor = 1,
		  .most = AT_LEVEL },
		{ .name = "drift of 0.5",
		  .drift = 0.3,
		  .rho = 0.5,
		  .drifts_every = 1,
		  .factor = 1,
		  .most = AT_LEVEL },
	};

	check(models, ARRAY_SIZE(models), NR_WINDOWS);
}

static void test_change_is_found(void **state)
{
	const struct model models[] = {
		{ .name = "+20 %",
		  .factor = 1.2,
		  .least = POWER,
		  .most = 1,
		  .is_about_changed = true },
		{ .name = "+50 %, scatter",
		  .gamma_shape = 25,
		  .factor = 1.5,
		  .least = POWER,
		  .most = 1,
		  .is_about_changed = true },
		{ .name = "five times, drift",
		  .drift = 0.3,
		  .rho = 0.9,
		  .drifts_every = 1,
		  .factor = 6,
		  .least = 0.3,
		  .most = 1,
		  .is_about_changed = true },
	};

	check(models, ARRAY_SIZE(models), NR_WINDOWS);
	check(models, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_changed),
		cmocka_unit_test(test_change_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
