// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks by their keys: long chains, keys that half agree, and nothing left of the window before.
 */
#include "unit/unit.h"

#include "capture/stack_table.h"
#include "util/mem.h"

static struct eddy_stack_key key_of(uint64_t i)
{
	/* Equal low bits on purpose: all in one chain of slots.  A few, their cost is quadratic. */
	uint64_t low = i % 16 ? i * 0x9e3779b97f4a7c15ull : i << 40;

	return (struct eddy_stack_key){ .hash = { low, ~i } };
}

static void test_find(void **state)
{
	struct stack_table *t = stack_table_new();

	for (uint32_t i = 0; i < 5000; i++) {
		struct eddy_stack_key key = key_of(i);

		assert_null(stack_table_find(t, &key));
		stack_table_add(t, &key, i);
		assert_int_equal(stack_table_find(t, &key)->tag, i);
	}
	for (uint32_t i = 0; i < 5000; i++) {
		struct eddy_stack_key key = key_of(i);

		assert_int_equal(stack_table_find(t, &key)->tag, i);
	}
	assert_int_equal(stack_table_nr(t), 5000);
	stack_table_free(t);
}

static void test_same_first_half(void **state)
{
	struct stack_table *t = stack_table_new();
	struct eddy_stack_key a = { .hash = { 5, 1 } }, b = { .hash = { 5, 2 } };

	stack_table_add(t, &a, 10);
	assert_null(stack_table_find(t, &b));
	stack_table_add(t, &b, 20);
	assert_int_equal(stack_table_find(t, &a)->tag, 10);
	assert_int_equal(stack_table_find(t, &b)->tag, 20);
	stack_table_free(t);
}

/* Window after window, large ones and small ones: nothing of one is known in the next. */
static void test_clear(void **state)
{
	struct stack_table *t = stack_table_new();
	size_t small = stack_table_bytes(t), large = 0;
	static const uint32_t sizes[] = { 10, 20000, 15000, 0, 5, 3000, 1, 1, 1 };

	for (uint32_t w = 0; w < ARRAY_SIZE(sizes); w++) {
		for (uint32_t i = 0; i < sizes[w]; i++) {
			struct eddy_stack_key key = { .hash = { i * 0x9e3779b97f4a7c15ull, w } };

			assert_null(stack_table_find(t, &key));
			stack_table_add(t, &key, i);
		}
		for (uint32_t i = 0; i < sizes[w]; i++) {
			struct eddy_stack_key key = { .hash = { i * 0x9e3779b97f4a7c15ull, w } };

			assert_int_equal(stack_table_find(t, &key)->tag, i);
		}
		assert_int_equal(stack_table_nr(t), sizes[w]);
		if (stack_table_bytes(t) > large)
			large = stack_table_bytes(t);
		stack_table_clear(t);
		assert_int_equal(stack_table_nr(t), 0);
	}
	assert_true(large > 20000 * 24);
	assert_true(stack_table_bytes(t) <= small + 1024 * 24);
	stack_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_same_first_half),
		cmocka_unit_test(test_clear),
	};

	return cmocka_run_group_tests_name("stack_table", tests, NULL, NULL);
}
