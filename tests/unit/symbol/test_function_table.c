// SPDX-License-Identifier: GPL-2.0-or-later
/* Where functions begin and end, against what the header promises computed the slow way. */
#include "unit/unit.h"

#include "symbol/function_table.h"

#define BASE	  0x400000ull
#define CODE	  4096
#define TIMES	  100
#define MAX_ADDED 60

static void test_empty(void **state)
{
	struct function_table t = { .base = BASE };
	uint64_t start, end;

	function_table_finish(&t);
	assert_int_equal(function_table_before(&t, BASE, &start, &end), -ENOENT);
	function_table_deinit(&t);
}

static void test_what_fits(void **state)
{
	struct function_table t = { .base = BASE };
	uint64_t start, end;

	assert_false(function_table_add(&t, BASE - 1, 16));
	assert_false(function_table_add(&t, BASE + (1ull << 32), 16));
	assert_true(function_table_add(&t, BASE + UINT32_MAX, UINT64_MAX));
	assert_true(function_table_add(&t, BASE, 16));
	function_table_finish(&t);
	assert_int_equal(function_table_before(&t, BASE - 1, &start, &end), -ENOENT);
	assert_int_equal(function_table_before(&t, BASE + 100, &start, &end), 0);
	assert_true(start == BASE && end == BASE + 16);
	assert_int_equal(function_table_before(&t, UINT64_MAX, &start, &end), 0);
	assert_true(start == BASE + UINT32_MAX && end == start + UINT32_MAX);
	function_table_deinit(&t);
}

struct added {
	uint64_t start, bytes;
};

/* The function of a byte: the last that begins before it and reaches it, of equals the first. */
static uint64_t slow_find(const struct added *added, int nr, uint64_t addr)
{
	const struct added *best = NULL;

	for (int i = 0; i < nr; i++)
		if (added[i].start <= addr && (!best || added[i].start > best->start))
			best = &added[i];
	return best && addr - best->start < best->bytes ? best->start : 0;
}

static void test_overlaps(void **state)
{
	for (int round = 0; round < TIMES; round++) {
		struct function_table t = { .base = BASE };
		int nr = 1 + (int)test_random_below(MAX_ADDED);
		struct added added[MAX_ADDED];

		for (int i = 0; i < nr; i++) {
			added[i].start = BASE + test_random_below(CODE);
			added[i].bytes = 1 + test_random_below(200);
			assert_true(function_table_add(&t, added[i].start, added[i].bytes));
			if (!test_random_below(20))
				function_table_finish(&t);
		}
		function_table_finish(&t);
		for (uint64_t addr = BASE; addr < BASE + CODE; addr++) {
			uint64_t start, end, found = 0;

			if (!function_table_before(&t, addr, &start, &end) && addr < end)
				found = start;
			assert_int_equal(found, slow_find(added, nr, addr));
		}
		function_table_deinit(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_what_fits),
		cmocka_unit_test(test_overlaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
