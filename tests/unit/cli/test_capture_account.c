// SPDX-License-Identifier: GPL-2.0-or-later
/* How long a window was: cli/capture_account.h. */
#include "unit/unit.h"

#include "cli/capture_account.h"

static void test_lasted(void **state)
{
	struct capture_account a = { .seconds = 3000.25 };

	assert_int_equal(capture_account_lasted_ms(&a), 3000250);
	/* An hour by the clock: its name must reach as far as those of others do. */
	a.lapse.suspended_ns = 600ull * 1000000000;
	assert_int_equal(capture_account_lasted_ms(&a), 3600250);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lasted),
	};

	return cmocka_run_group_tests_name("capture_account", tests, NULL, NULL);
}
