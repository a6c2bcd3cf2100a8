// SPDX-License-Identifier: GPL-2.0-or-later
/* Every end has a name of its own. */
#include "unwind/unwind_end.h"

#include "unit/unit.h"

static void names_are_distinct(void **state)
{
	for (int i = 0; i < EDDY_NR_ENDS; i++) {
		assert_non_null(unwind_end_name(i));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(unwind_end_name(i), unwind_end_name(j));
	}
	assert_string_equal(unwind_end_name(EDDY_END_ROOT), "root");
	assert_string_equal(unwind_end_name(EDDY_END_VMARACE), "vma-race");
	assert_string_equal(unwind_end_name(EDDY_NR_ENDS), "invalid");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_are_distinct) };

	return cmocka_run_group_tests_name("unwind_end", tests, NULL, NULL);
}
