// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns are as wide as what stands in them, and rows as wide as their heads. */
#include "unit/unit.h"

#include <math.h>

#include "output/text_columns.h"

static void test_widths(void **state)
{
	assert_int_equal(text_columns(0, ""), 1);
	assert_int_equal(text_columns(999, "self"), 4);
	assert_int_equal(text_columns(99999, "self"), 5);
	assert_int_equal(text_columns(UINT64_MAX, "self"), 20);
	assert_int_equal(text_estimate_columns(5), 6);
	assert_int_equal(text_estimate_columns(12345), 8);
}

static void test_estimates(void **state)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	text_estimate_add(&line, 12.345, 8);
	text_estimate_add(&line, NAN, 4);
	text_estimate_add(&line, -0.5, 6);
	assert_string_equal(line.bytes, "   12.35        "
					" -0.50  ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_estimates),
	};

	return cmocka_run_group_tests_name("text_columns", tests, NULL, NULL);
}
