// SPDX-License-Identifier: GPL-2.0-or-later
/* Times as people type them, in the zone of who asks, in days of 23 and 25 hours too. */
#include "unit/unit.h"

#include <time.h>

#include "util/mem.h"
#include "util/time_point.h"

/* 2026-11-22 15:00:00 UTC */
#define NOW_S INT64_C(1795359600)

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static int64_t since(const char *text, int64_t now_s, int64_t newest_s)
{
	struct time_point point = { .kind = TIME_NONE }, none = { .kind = TIME_NONE };
	struct diag diag = { "" };
	int64_t since_s, until_s;

	if (time_point_parse("since", text, &point, &diag) < 0)
		fail_msg("%s", diag.text);
	time_points_resolve(&point, &none, now_s, newest_s, &since_s, &until_s);
	return since_s;
}

static void test_texts(void **state)
{
	static const struct {
		const char *text;
		int64_t before_s; /* NOW_S */
	} cases[] = {
		{ "2026-11-22T15:00Z", 0 },
		{ "20261122T150000Z", 0 },
		{ "2026-11-22T17:00:00+02:00", 0 },
		{ "2026-11-22 16:00", 0 },
		{ "2026-11-22", 16 * 3600 },
		{ "15:00", 3600 },
		{ "15:00Z", 86400 },
		{ "14:00Z", 3600 },
		{ "today", 16 * 3600 },
		{ "yesterday 16:00", 86400 },
		{ "yesterday 15:00Z", 86400 },
		{ "now", 0 },
		{ "-10m", 600 },
		{ "10m ago", 600 },
		{ "5 min ago", 300 },
		{ "2 hours ago", 7200 },
		{ "90seconds ago", 90 },
	};

	set_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (since(cases[i].text, NOW_S, NOW_S) != NOW_S - cases[i].before_s)
			fail_msg("%s", cases[i].text);
	set_zone("UTC");
	assert_true(since("yesterday 03:12", NOW_S, NOW_S) == NOW_S - 86400 - 11 * 3600 - 48 * 60);
}

/* The clocks went back on 2026-10-25 at 03:00 and forward on 2026-03-29 at 02:00. */
static void test_other_days(void **state)
{
	const int64_t autumn = 1792926000; /* 2026-10-25 11:00 UTC, 12:00 there */
	const int64_t spring = 1774778400; /* 2026-03-29 10:00 UTC, 12:00 there */

	set_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	assert_true(since("00:00", autumn, autumn) == autumn - 13 * 3600);
	assert_true(since("00:00", spring, spring) == spring - 11 * 3600);
	assert_true(since("yesterday 12:00", autumn, autumn) == autumn - 25 * 3600);
	assert_true(since("yesterday 12:00", spring, spring) == spring - 23 * 3600);
	set_zone("UTC");
}

static void test_refused(void **state)
{
	static const char *const texts[] = { "",	 "24:00",	   "yesterday noon",
					     "tomorrow", "yesterday03:12", "5 parsecs ago",
					     "min ago",	 "2026-02-30",	   "10:00 ago" };
	struct time_point point;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (time_point_parse("since", texts[i], &point, NULL) != -EINVAL)
			fail_msg("%s", texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_other_days),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("time_point", tests, NULL, NULL);
}
