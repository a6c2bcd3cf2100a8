// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of texts compared with texts: nothing behind their end counts. */
#include "unit/unit.h"

#include "util/bytes.h"

static void test_compared(void **state)
{
	const struct bytes ab = { "abc", 2 }, none = { 0 };

	assert_true(bytes_are(ab, "ab"));
	assert_false(bytes_are(ab, "abc"));
	assert_false(bytes_are(ab, "a"));
	assert_true(bytes_begin(ab, "a"));
	assert_true(bytes_begin(ab, "ab"));
	assert_false(bytes_begin(ab, "abc"));
	assert_false(bytes_begin(ab, "b"));
	assert_true(bytes_end(ab, "b"));
	assert_true(bytes_end(ab, "ab"));
	assert_false(bytes_end(ab, "bc"));
	assert_false(bytes_end(ab, "cab"));
	assert_false(bytes_are(none, "a"));
	assert_false(bytes_begin(none, "a"));
	assert_false(bytes_end(none, "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compared),
	};

	return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
