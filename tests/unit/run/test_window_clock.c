// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine whose clocks do what clocks do, and a poll loop over it. */
#include "unit/unit.h"

#include "run/window_clock.h"

#define S  1000000000ull
#define MS 1000000ull

static const uint64_t noon = 1700000000 / 10 * 10 * S;

static struct instant at(uint64_t real_ns)
{
	return (struct instant){ real_ns, 5000 * S, 4000 * S };
}

static void pass(struct instant *i, uint64_t ns)
{
	i->real_ns += ns;
	i->boot_ns += ns;
	i->mono_ns += ns;
}

/* Waits as the loop does, at most 100 ms at a time, until the window is over. */
static void sleep_until_over(const struct window_clock *w, struct instant *now)
{
	while (!window_clock_is_over(w, now)) {
		uint64_t left = window_clock_left_ns(w, now);

		assert_true(left > 0);
		pass(now, left < 100 * MS ? left : 100 * MS);
	}
	assert_int_equal(window_clock_left_ns(w, now), 0);
}

static void test_aligned(void **state)
{
	struct instant now = at(noon + 3500 * MS);
	struct window_clock w;
	struct window_lapse l;

	window_clock_begin(&w, 10 * S, &now);
	for (int i = 1; i < 20; i++) {
		sleep_until_over(&w, &now);
		assert_int_equal(now.real_ns, noon + i * 10 * S);
		window_clock_next(&w, &now, &l);
		assert_int_equal(w.start.real_ns, noon + i * 10 * S);
		assert_true(!l.late_ns && !l.stepped_ns && !l.suspended_ns);
	}
}

/* Half a second before the end of a window that is 10 s long: no window of half a second. */
static void test_no_tiny_window(void **state)
{
	struct instant now = at(noon + 9500 * MS);
	struct window_clock w;

	window_clock_begin(&w, 10 * S, &now);
	assert_int_equal(w.planned_end_ns, noon + 20 * S);
}

static void test_one_window(void **state)
{
	struct instant now = at(noon);
	struct window_clock w;
	struct window_lapse l;

	window_clock_begin(&w, 0, &now);
	pass(&now, 1000000 * S);
	assert_false(window_clock_is_over(&w, &now));
	assert_int_equal(window_clock_left_ns(&w, &now), UINT64_MAX);
	window_clock_next(&w, &now, &l);
	assert_int_equal(l.late_ns, 0);
}

/* SIGSTOP for three windows: one long one, then aligned again. */
static void test_stopped(void **state)
{
	struct instant now = at(noon + S);
	struct window_clock w;
	struct window_lapse l;

	window_clock_begin(&w, 10 * S, &now);
	pass(&now, 34 * S);
	assert_true(window_clock_is_over(&w, &now));
	window_clock_next(&w, &now, &l);
	assert_int_equal(l.late_ns, 25 * S);
	assert_int_equal(l.stepped_ns, 0);
	sleep_until_over(&w, &now);
	assert_int_equal(now.real_ns, noon + 40 * S);
}

static void test_suspended(void **state)
{
	struct instant now = at(noon + S);
	struct window_clock w;
	struct window_lapse l;

	window_clock_begin(&w, 10 * S, &now);
	pass(&now, 2 * S);
	now.real_ns += 3600 * S;
	now.boot_ns += 3600 * S;
	assert_true(window_clock_is_over(&w, &now));
	window_clock_next(&w, &now, &l);
	assert_int_equal(l.suspended_ns, 3600 * S);
	assert_int_equal(l.late_ns, 0);
	assert_int_equal(l.stepped_ns, 0);
}

static void test_set_forward(void **state)
{
	struct instant now = at(noon + S);
	struct window_clock w;
	struct window_lapse l;

	window_clock_begin(&w, 10 * S, &now);
	pass(&now, 2 * S);
	now.real_ns += 3 * S; /* within the window: it is only shorter */
	assert_false(window_clock_is_over(&w, &now));
	sleep_until_over(&w, &now);
	assert_int_equal(now.real_ns, noon + 10 * S);
	window_clock_next(&w, &now, &l);
	assert_int_equal(l.stepped_ns, 3 * S);
	now.real_ns += 86400 * S + 4 * S;
	assert_true(window_clock_is_over(&w, &now));
	window_clock_next(&w, &now, &l);
	assert_int_equal(l.stepped_ns, 86404 * S);
	assert_int_equal(l.late_ns, 0);
	sleep_until_over(&w, &now);
	assert_int_equal(now.real_ns, noon + 86420 * S);
}

static void test_set_back(void **state)
{
	struct instant now = at(noon + S);
	struct window_clock w;
	struct window_lapse l;

	window_clock_begin(&w, 10 * S, &now);
	pass(&now, 2 * S);
	now.real_ns -= 500 * MS; /* a little: the window is longer */
	assert_false(window_clock_is_over(&w, &now));
	sleep_until_over(&w, &now);
	window_clock_next(&w, &now, &l);
	assert_true(l.stepped_ns == -500 * (int64_t)MS);
	assert_int_equal(l.late_ns, 0);
	pass(&now, 2 * S);
	now.real_ns -= 7200 * S; /* much: nobody waits for two hours */
	assert_true(window_clock_is_over(&w, &now));
	window_clock_next(&w, &now, &l);
	assert_true(l.stepped_ns == -7200 * (int64_t)S);
	assert_int_equal(l.late_ns, 0);
	sleep_until_over(&w, &now);
	assert_int_equal(now.real_ns, noon - 7200 * S + 20 * S);
}

/* Whatever is done to the clocks, windows are about as long as they should be, or longer. */
static void test_any_clock(void **state)
{
	struct instant now = at(noon);
	struct window_clock w;
	struct window_lapse l;
	uint64_t every = 7 * S;

	window_clock_begin(&w, every, &now);
	for (int i = 0; i < 20000; i++) {
		struct instant start = now;
		bool stepped = false;

		while (!window_clock_is_over(&w, &now)) {
			pass(&now, window_clock_left_ns(&w, &now) % (300 * MS) + 1);
			if (test_random() % 200 == 0) {
				now.real_ns +=
					((int64_t)(test_random() % 1001) - 500) * 20 * (int64_t)MS;
				stepped = true;
			}
			assert_true(now.mono_ns - start.mono_ns < 3 * every);
		}
		assert_true(stepped || now.mono_ns - start.mono_ns >= every / 10);
		window_clock_next(&w, &now, &l);
		assert_true(w.planned_end_ns - now.real_ns >= every / 10);
		assert_true(w.planned_end_ns - now.real_ns <= every + every / 10);
		assert_int_equal(w.planned_end_ns % every, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aligned),	   cmocka_unit_test(test_no_tiny_window),
		cmocka_unit_test(test_one_window), cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_suspended),  cmocka_unit_test(test_set_forward),
		cmocka_unit_test(test_set_back),   cmocka_unit_test(test_any_clock),
	};

	return cmocka_run_group_tests_name("window_clock", tests, NULL, NULL);
}
