// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of jumps: where they run, how they cross and join, and what there is no room for. */
#include "unit/unit.h"

#include "output/jump_lines.h"

#define ROWS 6

static void is_drawn(struct jump *jumps, size_t nr, const char *const *rows)
{
	__attribute__((cleanup(jump_lines_deinit))) struct jump_lines lines;

	jump_lines_draw(jumps, nr, ROWS, &lines);
	for (size_t i = 0; i < ROWS; i++)
		assert_string_equal(lines.rows[i], rows[i]);
}

static void test_one(void **state)
{
	is_drawn((struct jump[]){ { 4, 1 } }, 1,
		 (const char *const[]){ "  ", ",>", "| ", "| ", "'-", "  " });
	is_drawn((struct jump[]){ { 0, 5 } }, 1,
		 (const char *const[]){ ",-", "| ", "| ", "| ", "| ", "'>" });
}

static void test_none(void **state)
{
	/* To itself, and to what is no row. */
	is_drawn((struct jump[]){ { 3, 3 }, { 1, 6 } }, 2,
		 (const char *const[]){ "", "", "", "", "", "" });
}

static void test_several(void **state)
{
	/* One in the other, and two that cross. */
	is_drawn((struct jump[]){ { 0, 5 }, { 2, 4 } }, 2,
		 (const char *const[]){ ",--", "|  ", "|,-", "|| ", "|'>", "'->" });
	is_drawn((struct jump[]){ { 0, 3 }, { 2, 5 } }, 2,
		 (const char *const[]){ " ,-", " | ", ",|-", "|'>", "|  ", "'->" });
	/* Two lead to one row. */
	is_drawn((struct jump[]){ { 1, 3 }, { 0, 3 } }, 2,
		 (const char *const[]){ ",--", "|,-", "|| ", "''>", "   ", "   " });
}

static void test_crowd(void **state)
{
	struct jump jumps[100];
	__attribute__((cleanup(jump_lines_deinit))) struct jump_lines lines;

	for (size_t i = 0; i < 100; i++)
		jumps[i] = (struct jump){ i, 199 - i };
	jump_lines_draw(jumps, 100, 200, &lines);
	for (size_t i = 0; i < 200; i++)
		assert_int_equal(strlen(lines.rows[i]), JUMP_LINES_WIDTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
