// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --max-overhead against machines on which samples cost this or that: the rate falls, settles,
 * rises.
 */
#include "unit/unit.h"

#include "run/overhead.h"

/* A machine on which a sample costs so much, and the rest costs what it costs. */
static double cost_at(const struct overhead *o, double sample_s, double fixed)
{
	struct capture_rate r = overhead_rate(o);

	return (r.freq_hz ? r.freq_hz : 1e9 / r.period) * sample_s + fixed;
}

static int settle(struct overhead *o, double sample_s, double fixed)
{
	int changes = 0;

	for (int i = 0; i < 200; i++)
		changes += overhead_adapt(o, cost_at(o, sample_s, fixed));
	return changes;
}

static void test_off(void **state)
{
	struct overhead o;

	overhead_init(&o, 0, &(struct capture_rate){ .freq_hz = 99 });
	assert_false(overhead_adapt(&o, 5));
	assert_int_equal(overhead_rate(&o).freq_hz, 99);
}

static void test_cheap(void **state)
{
	struct overhead o;

	overhead_init(&o, 0.01, &(struct capture_rate){ .freq_hz = 99 });
	assert_int_equal(settle(&o, 10e-6, 0.0005), 0);
	assert_int_equal(overhead_rate(&o).freq_hz, 99);
}

static void test_lowered_and_raised(void **state)
{
	struct overhead o;
	int changes;

	overhead_init(&o, 0.01, &(struct capture_rate){ .freq_hz = 20000 });
	changes = settle(&o, 5e-6, 0.002);
	assert_true(changes >= 1 && changes <= 10); /* and then it stays */
	assert_true(cost_at(&o, 5e-6, 0.002) <= 0.01);
	assert_true(overhead_rate(&o).freq_hz > 500);
	assert_false(overhead_adapt(&o, cost_at(&o, 5e-6, 0.002)));
	/* Cheaper again: back to what was asked for, not above, and not at once. */
	assert_true(overhead_adapt(&o, cost_at(&o, 1e-7, 0)));
	assert_true(overhead_rate(&o).freq_hz < 20000);
	settle(&o, 1e-7, 0);
	assert_int_equal(overhead_rate(&o).freq_hz, 20000);
}

static void test_period(void **state)
{
	struct overhead o;

	overhead_init(&o, 0.01, &(struct capture_rate){ .period = 100000 });
	settle(&o, 5e-6, 0);
	assert_int_equal(overhead_rate(&o).freq_hz, 0);
	assert_true(overhead_rate(&o).period > 400000);
	assert_true(cost_at(&o, 5e-6, 0) <= 0.01);
}

/* What the rate cannot help ends at one sample a second. */
static void test_hopeless(void **state)
{
	struct overhead o;

	overhead_init(&o, 0.001, &(struct capture_rate){ .freq_hz = 999 });
	settle(&o, 5e-6, 0.5);
	assert_int_equal(overhead_rate(&o).freq_hz, 1);
	settle(&o, 5e-7, 0);
	assert_int_equal(overhead_rate(&o).freq_hz, 999);
}

static void test_any(void **state)
{
	for (int i = 0; i < 2000; i++) {
		struct capture_rate asked = { .freq_hz = 1 + test_random() % 100000 };
		double sample_s = (1 + test_random() % 1000) * 1e-8;
		double max = (1 + test_random() % 1000) * 1e-4, fixed = max * 0.3;
		struct overhead o;

		overhead_init(&o, max, &asked);
		settle(&o, sample_s, fixed);
		assert_true(overhead_rate(&o).freq_hz >= 1);
		assert_true(overhead_rate(&o).freq_hz <= asked.freq_hz);
		assert_true(cost_at(&o, sample_s, fixed) <= max);
		assert_int_equal(settle(&o, sample_s, fixed), 0);
	}
}

static void test_what_cannot_be_followed(void **state)
{
	struct overhead o;

	overhead_init(&o, 0, &(struct capture_rate){ .freq_hz = 50000 });
	assert_false(overhead_relieve(&o, 0, 0));
	assert_false(overhead_relieve(&o, 1000, 99)); /* a moment's */
	assert_false(overhead_relieve(&o, 100000, 999));
	assert_true(overhead_relieve(&o, 10000, 5000));
	assert_int_equal(overhead_rate(&o).freq_hz, 20000);
	assert_true(overhead_relieve(&o, 4000, 4000)); /* a machine that stood still */
	assert_int_equal(overhead_rate(&o).freq_hz, 1);
	assert_false(overhead_relieve(&o, 200, 200));

	overhead_init(&o, 0, &(struct capture_rate){ .period = 1 });
	assert_false(overhead_relieve(&o, 10000, 5000));
	assert_int_equal(overhead_rate(&o).period, 1);
}

static void test_it_is_not_raised_again(void **state)
{
	struct overhead o;

	overhead_init(&o, 0.01, &(struct capture_rate){ .freq_hz = 20000 });
	assert_true(overhead_relieve(&o, 10000, 5000));
	settle(&o, 1e-7, 0);
	assert_int_equal(overhead_rate(&o).freq_hz, 8000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_cheap),
		cmocka_unit_test(test_lowered_and_raised),
		cmocka_unit_test(test_what_cannot_be_followed),
		cmocka_unit_test(test_it_is_not_raised_again),
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_hopeless),
		cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests_name("overhead", tests, NULL, NULL);
}
