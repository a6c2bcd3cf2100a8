// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Against numbers made independently: tails summed term by term in exact fractions (Python's
 * fractions), interval ends by halving with 60 digits, Student's tails by Simpson's rule.
 */
#include "unit/unit.h"

#include <math.h>

#include "analysis/rate_test.h"

static void assert_near(double got, double want, double relative)
{
	if (isinf(want)) {
		assert_true(isinf(got));
		return;
	}
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("%.17g is not %.17g", got, want);
}

static void test_exact_numbers(void **state)
{
	static const struct {
		uint64_t before, due_before, after, due_after;
		double p, low, high;
	} known[] = {
		{ 10, 1000, 20, 1000, 0.098737146705389023, 0.89350889038469095,
		  4.7845524403381043 },
		{ 3, 500, 0, 700, 0.14467592592592593, 0, 1.7285370666809956 },
		{ 0, 1, 1, 1, 1, 0.02564102564102564, INFINITY },
		{ 120, 3960, 171, 3960, 0.0033087986331269037, 1.1217832240592893,
		  1.8149689388722636 },
		{ 57, 1980, 300, 7920, 0.060859015576266641, 0.98848458280484663,
		  1.7787794071507395 },
		{ 5, 1000000, 400, 1000000, 2.1709390973631123e-111, 33.996663544134385,
		  247.72960921923163 },
		{ 1000, 99, 1100, 100, 0.053556073326130639, 0.99871084399140264,
		  1.187558684006907 },
		{ 7, 3, 7, 3, 1, 0.29930968181059925, 3.3410212257443512 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct rate_pair r = { .before = known[i].before,
				       .after = known[i].after,
				       .due_before = known[i].due_before,
				       .due_after = known[i].due_after };
		double low, high;

		assert_near(rate_pair_p(&r), known[i].p, 1e-11);
		rate_pair_interval(&r, 0.95, &low, &high);
		assert_near(low, known[i].low, 1e-11);
		assert_near(high, known[i].high, 1e-11);
	}
}

static void test_student(void **state)
{
	assert_near(student_two_sided(1, 1), 0.5, 1e-14);
	assert_near(student_two_sided(2.228138852, 10), 0.0499999999988313, 1e-12);
	assert_near(student_two_sided(3.5, 4), 0.0248961634602229, 1e-12);
	assert_near(student_two_sided(-0.3, 22), 0.766993462687685, 1e-12);
	assert_near(student_two_sided(12, 62), 8.18706558652121e-18, 1e-9);
	assert_near(student_two_sided(0, 3), 1, 0);
}

/* P(X <= k) + P(X >= k + 1) = 1, and both sums term by term for small n. */
static void test_tails_add_up(void **state)
{
	for (int round = 0; round < 3000; round++) {
		uint64_t n = 1 + test_random_below(round % 3 ? 400 : 5000000);
		uint64_t k = test_random_below(n);
		double p = (1 + test_random_below(999)) / 1000.0, at_most, at_least, below, above;

		binomial_tails(k, n - k, p, 1 - p, &at_most, &at_least);
		binomial_tails(k + 1, n - k - 1, p, 1 - p, &below, &above);
		assert_near(at_most + above, 1, 1e-10);
		assert_true(at_least >= above && below >= at_most);
	}
}

/* Where the expansion takes over from the fraction; summed with 50 digits. */
static void test_large_counts(void **state)
{
	static const struct {
		uint64_t k, n;
		double p, at_least;
	} known[] = {
		{ 2001000, 4000000, 0.5, 0.15877626954509735 },
		{ 2008000, 4000000, 0.5, 6.2457400243836322e-16 },
		{ 3003000, 10000000, 0.3, 0.019240192791599834 },
		{ 3000100, 10000000, 0.3, 0.47261129973656779 },
		{ 1000001, 2000003, 0.5, 0.50056418894883559 },
		{ 1000002, 2000004, 0.5, 0.50028209447441774 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		double at_most, at_least;

		binomial_tails(known[i].k, known[i].n - known[i].k, known[i].p, 1 - known[i].p,
			       &at_most, &at_least);
		assert_near(at_least, known[i].at_least, 1e-7);
	}
}

/* Counts as large as files may hold: an answer, within a moment. */
static void test_largest_counts(void **state)
{
	struct rate_pair r = { .before = INT64_MAX, .after = 1, .due_before = 1, .due_after = 1 };
	double low, high;

	assert_near(rate_pair_p(&r), 0, 0);
	rate_pair_interval(&r, 0.95, &low, &high);
	assert_true(low > 0 && low < high && high < 1e-17);
	r.after = INT64_MAX / 2;
	r.due_before = 1e18;
	assert_near(rate_pair_p(&r), 0, 0);
	rate_pair_interval(&r, 0.95, &low, &high);
	assert_near(low, 0.5e18, 1e-6);
	assert_near(high, 0.5e18, 1e-6);
}

static void test_interval_and_p_agree(void **state)
{
	int inside = 0, outside = 0;

	for (int round = 0; round < 4000; round++) {
		struct rate_pair r = {
			.before = test_random_below(300),
			.after = test_random_below(300),
			.due_before = 1 + test_random_below(5000),
			.due_after = 1 + test_random_below(5000),
			.dispersion = 1 + test_random_below(40) / 10.0,
			.df = round % 2 ? 0 : 1 + test_random_below(60),
		};
		double low, high, p = rate_pair_p(&r);

		if (!r.before && !r.after)
			continue;
		rate_pair_interval(&r, 0.95, &low, &high);
		assert_true(p >= 0 && p <= 1 && low >= 0 && low <= high);
		assert_true(rate_pair_ratio(&r) >= low && rate_pair_ratio(&r) <= high);
		if (fabs(p - 0.05) < 1e-9)
			continue;
		assert_int_equal(p > 0.05, low < 1 && high > 1);
		*(p > 0.05 ? &inside : &outside) += 1;
	}
	assert_true(inside > 100 && outside > 100);
}

static void test_swapping_sides(void **state)
{
	for (int round = 0; round < 1000; round++) {
		struct rate_pair r = {
			.before = test_random_below(1000),
			.after = 1 + test_random_below(1000),
			.due_before = 1 + test_random_below(5000),
			.due_after = 1 + test_random_below(5000),
			.dispersion = 1.7,
			.df = round % 2 ? 9 : 0,
		};
		struct rate_pair s = r;
		double low, high, low2, high2;

		s.before = r.after;
		s.after = r.before;
		s.due_before = r.due_after;
		s.due_after = r.due_before;
		assert_near(rate_pair_p(&r), rate_pair_p(&s), 1e-9);
		rate_pair_interval(&r, 0.99, &low, &high);
		rate_pair_interval(&s, 0.99, &low2, &high2);
		if (low2 > 0)
			assert_near(high, 1 / low2, 1e-9);
		if (low > 0)
			assert_near(high2, 1 / low, 1e-9);
	}
}

static void test_least_p_is_reached(void **state)
{
	for (uint64_t n = 1; n < 60; n++) {
		struct rate_pair r = { .due_before = 300, .due_after = 100 };
		double least = 1, claimed;

		for (uint64_t k = 0; k <= n; k++) {
			r.before = k;
			r.after = n - k;
			least = fmin(least, rate_pair_p(&r));
		}
		claimed = rate_pair_least_p(&r);
		assert_near(least, claimed, 1e-9);
	}
}

static void test_no_samples(void **state)
{
	struct rate_pair r = { .due_before = 5, .due_after = 6 };
	double low, high;

	assert_near(rate_pair_p(&r), 1, 0);
	assert_true(isnan(rate_pair_ratio(&r)));
	rate_pair_interval(&r, 0.95, &low, &high);
	assert_true(low == 0 && isinf(high));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_numbers),  cmocka_unit_test(test_student),
		cmocka_unit_test(test_tails_add_up),   cmocka_unit_test(test_large_counts),
		cmocka_unit_test(test_largest_counts), cmocka_unit_test(test_interval_and_p_agree),
		cmocka_unit_test(test_swapping_sides), cmocka_unit_test(test_least_p_is_reached),
		cmocka_unit_test(test_no_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
