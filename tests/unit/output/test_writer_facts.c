// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of a capture, and what is better not said. */
#include "unit/unit.h"

#include "output/writer_facts.h"

static void test_period(void **state)
{
	struct writer_facts clock = { 0 }, every = { 0 }, events = { 0 };
	struct writer_facts weighed = { .is_weighed = true };

	writer_facts_set_period(&clock, true, 100, 0);
	assert_int_equal(clock.period_ns, 10000000);
	writer_facts_set_period(&every, true, 0, 500000);
	assert_int_equal(every.period_ns, 500000);
	writer_facts_set_period(&events, false, 0, 1000);
	assert_int_equal(events.period, 1000);
	assert_int_equal(events.period_ns, 0);
	/* Each sample stands for another number of events. */
	writer_facts_set_period(&weighed, false, 0, 1000);
	assert_int_equal(weighed.period, 0);
}

static void test_time(void **state)
{
	struct writer_facts f = { 0 }, back = { 0 }, far = { 0 }, none = { 0 };

	writer_facts_set_time(&f, 1000, 3500);
	assert_true(f.start_ns == 1000000000 && f.duration_ns == 2500000000);
	writer_facts_set_time(&back, 3500, 1000);
	writer_facts_set_time(&far, 1000, UINT64_MAX);
	writer_facts_set_time(&none, 0, 1000);
	assert_true(!back.start_ns && !far.start_ns && !far.duration_ns && !none.start_ns);
}

static void test_event(void **state)
{
	char long_name[sizeof(((struct writer_facts *)0)->event) + 1];
	struct writer_facts f = { 0 };

	writer_facts_set_event(&f, "cpu-clock");
	assert_string_equal(f.event, "cpu-clock");
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	f = (struct writer_facts){ 0 };
	writer_facts_set_event(&f, long_name);
	assert_string_equal(f.event, "");
	writer_facts_set_event(&f, long_name + 1);
	assert_string_equal(f.event, long_name + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_event),
	};

	return cmocka_run_group_tests_name("writer_facts", tests, NULL, NULL);
}
