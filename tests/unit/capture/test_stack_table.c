// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit/unit.h"

#include "capture/stack_table.h"

static struct eddy_stack_key key_of(uint64_t i)
{
	/* Equal low bits on purpose: all in one chain of slots. */
	return (struct eddy_stack_key){ .hash = { i << 40, ~i } };
}

static void test_find(void **state)
{
	struct stack_table *t = stack_table_new();

	for (uint32_t i = 0; i < 5000; i++) {
		struct eddy_stack_key key = key_of(i);

		if (i % 64 == 0) /* chains of one slot are quadratic: a few hundred suffice */
			key.hash[0] = i;
		else
			key.hash[0] = i * 0x9e3779b97f4a7c15ull;
		assert_null(stack_table_find(t, &key));
		stack_table_add(t, &key, i);
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

/* Counts grow within a map and begin anew in the next: each sample is taken once. */
static void test_take(void **state)
{
	struct stack_entry e = { .tag = 1 };
	uint64_t taken = 0;

	taken += stack_entry_take(&e, 3, 0);
	taken += stack_entry_take(&e, 3, 0);
	taken += stack_entry_take(&e, 10, 0);
	assert_int_equal(taken, 10);
	taken += stack_entry_take(&e, 2, 1);
	taken += stack_entry_take(&e, 5, 1);
	assert_int_equal(taken, 15);
	taken += stack_entry_take(&e, 1, 7);
	assert_int_equal(taken, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_same_first_half),
		cmocka_unit_test(test_take),
	};

	return cmocka_run_group_tests_name("stack_table", tests, NULL, NULL);
}
