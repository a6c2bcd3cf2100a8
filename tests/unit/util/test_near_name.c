// SPDX-License-Identifier: GPL-2.0-or-later
/* What is near is offered, the nearest of several; what is not near is not. */
#include "unit/unit.h"

#include "util/near_name.h"

static void check(const char *typed, const char *want)
{
	static const char *const names[] = { "record", "report", "snapshot", "diff", "irq" };
	struct near_name near = { .typed = typed };
	char hint[NEAR_NAME_BYTES];

	for (size_t i = 0; i < 5; i++)
		near_name_offer(&near, names[i]);
	near_name_hint(&near, "--", hint);
	assert_string_equal(hint, want);
}

static void test_offers(void **state)
{
	char longer[NEAR_NAME_MAX_BYTES + 10];

	check("recrod", "; did you mean '--record'?");
	check("reprot", "; did you mean '--report'?");
	check("snap", "; did you mean '--snapshot'?");
	check("dif", "; did you mean '--diff'?");
	check("nsnap", "");
	check("eiff", "; did you mean '--diff'?");
	check("eigg", "");
	check("irqs", "; did you mean '--irq'?");
	check("difference", "; did you mean '--diff'?");
	check("irqsoff", "");
	check("zzzzzz", "");
	check("x", "");
	check("", "");
	memset(longer, 'r', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	check(longer, "");
}

static void test_distance(void **state)
{
	assert_int_equal(near_name_distance("kitten", 6, "sitting", 7), 3);
	assert_int_equal(near_name_distance("", 0, "abc", 3), 3);
	assert_int_equal(near_name_distance("abc", 3, "abc", 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offers),
		cmocka_unit_test(test_distance),
	};

	return cmocka_run_group_tests_name("near_name", tests, NULL, NULL);
}
