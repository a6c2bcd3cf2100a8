// SPDX-License-Identifier: GPL-2.0-or-later
/* Code that comes and goes at the same addresses: each has its own time. */
#include "symbol/kernel_code.h"

#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#define SECOND 1000000000ull

static void change(struct kernel_code *c, uint64_t start, uint64_t bytes, uint64_t time_ns,
		   const char *name, bool is_gone)
{
	kernel_code_change(c, &(struct kernel_code_change){ .start = start,
							    .bytes = bytes,
							    .time_ns = time_ns,
							    .name = name,
							    .is_gone = is_gone,
							    .is_bpf = true });
}

static const char *name_at(const struct kernel_code *c, uint64_t addr, uint64_t time_ns)
{
	const struct kernel_code_symbol *s = kernel_code_find(c, addr, time_ns);

	return s ? s->name : "";
}

static void each_has_its_time(void **state)
{
	struct kernel_code *c = kernel_code_new();

	change(c, 0x1000, 0x100, 0, "first", false); /* there at the start */
	change(c, 0x1000, 0x100, 10 * SECOND, "first", true);
	change(c, 0x1040, 0x100, 12 * SECOND, "second", false);
	assert_string_equal(name_at(c, 0x1080, 9 * SECOND), "first");
	assert_string_equal(name_at(c, 0x1080, 10 * SECOND + 1), "first"); /* to its end */
	assert_string_equal(name_at(c, 0x1080, 12 * SECOND - 1), "");
	assert_string_equal(name_at(c, 0x1080, 12 * SECOND), "second");
	assert_string_equal(name_at(c, 0x1010, 12 * SECOND), "");
	assert_true(kernel_code_covers(c, 0x1010));
	assert_string_equal(name_at(c, 0x1140, 13 * SECOND), ""); /* an end is an end */
	assert_string_equal(name_at(c, 0x113f, 13 * SECOND), "second");
	assert_false(kernel_code_covers(c, 0x1140));
	assert_false(kernel_code_covers(c, 0xfff));
	assert_true(kernel_code_changed_ns(c) == 12 * SECOND);
	kernel_code_age(c, 39 * SECOND);
	assert_string_equal(name_at(c, 0x1080, 9 * SECOND), "first");
	kernel_code_age(c, 41 * SECOND);
	assert_string_equal(name_at(c, 0x1080, 9 * SECOND), "");
	assert_string_equal(name_at(c, 0x1080, 41 * SECOND), "second");
	assert_int_equal(kernel_code_nr(c), 1);
	kernel_code_free(c);
}

/* One CPU puts in, another takes out; theirs are two rings. */
static void out_of_order(void **state)
{
	struct kernel_code *c = kernel_code_new();

	change(c, 0x1000, 0x100, 5 * SECOND, "short", true);
	change(c, 0x1000, 0x100, 4 * SECOND, "short", false);
	assert_string_equal(name_at(c, 0x1000, 4 * SECOND), "short");
	assert_string_equal(name_at(c, 0x1000, 4 * SECOND - 1), "");
	assert_string_equal(name_at(c, 0x1000, 7 * SECOND), "");
	/* The end of a first and the beginning of a second at the same place. */
	change(c, 0x2000, 0x100, 2 * SECOND, "one", false);
	change(c, 0x2000, 0x100, 8 * SECOND, "two", false);
	change(c, 0x2000, 0x100, 7 * SECOND, "one", true);
	assert_string_equal(name_at(c, 0x2000, 6 * SECOND), "one");
	assert_string_equal(name_at(c, 0x2000, 9 * SECOND), "two");
	kernel_code_free(c);
}

static void sizes_are_told_later(void **state)
{
	struct kernel_code *c = kernel_code_new();

	change(c, 0x1000, 0x1000, 0, "long", false);
	change(c, 0x1000, 0x20, 0, NULL, false);
	assert_string_equal(name_at(c, 0x101f, 1), "long");
	assert_string_equal(name_at(c, 0x1020, 1), "");
	change(c, 0x3000, 0x20, 0, NULL, false); /* of nothing that is known */
	assert_int_equal(kernel_code_nr(c), 1);
	/* Read at the start and told of as well: it is there once. */
	change(c, 0x1000, 0x20, 3, "long", false);
	assert_int_equal(kernel_code_nr(c), 1);
	kernel_code_free(c);
}

static void hostile_sizes(void **state)
{
	struct kernel_code *c = kernel_code_new();

	change(c, UINT64_MAX - 10, 0x1000, 1, "over the end", false);
	change(c, 0x1000, 0, 1, "nothing", false);
	change(c, 0x1000, UINT64_MAX, 1, "everything", false);
	assert_int_equal(kernel_code_nr(c), 0);
	for (unsigned int i = 0; i < 70000; i++)
		change(c, 0x100000 + i * 16ull, 16, 1 + i, "many", false);
	assert_int_equal(kernel_code_nr(c), 65536);
	for (unsigned int i = 0; i < 70000; i++)
		change(c, 0x100000 + i * 16ull, 16, 100000 + i, "many", true);
	assert_true(kernel_code_nr(c) <= 65536);
	assert_string_equal(name_at(c, 0x100000 + 16 * 65000, 5 * SECOND), "");
	kernel_code_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_time),
		cmocka_unit_test(out_of_order),
		cmocka_unit_test(sizes_are_told_later),
		cmocka_unit_test(hostile_sizes),
	};

	return cmocka_run_group_tests_name("kernel_code", tests, NULL, NULL);
}
