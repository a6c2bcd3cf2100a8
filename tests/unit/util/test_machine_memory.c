// SPDX-License-Identifier: GPL-2.0-or-later
/* The least of the limits counts, and there is always one. */
#include "unit/unit.h"

#include <sys/resource.h>

#include "util/machine_memory.h"

static void test_limits(void **state)
{
	struct rlimit before, less;
	uint64_t all = machine_memory_bytes();

	assert_true(all > 0 && all < UINT64_MAX);
	assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
	less = before;
	less.rlim_cur = all / 2;
	assert_int_equal(setrlimit(RLIMIT_DATA, &less), 0);
	assert_int_equal(machine_memory_bytes(), all / 2);
	assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
	assert_int_equal(machine_memory_bytes(), all);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_limits) };

	return cmocka_run_group_tests_name("machine_memory", tests, NULL, NULL);
}
