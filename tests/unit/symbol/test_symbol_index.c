// SPDX-License-Identifier: GPL-2.0-or-later
/* Where functions begin and end, against what the header promises computed the slow way. */
#include "unit/unit.h"

#include "symbol/symbol_index.h"

#define BASE	 0x400000ull
#define MAX_SIZE ((1ull << 26) - 1)

static uint64_t limit_is(void *ctx, uint64_t value)
{
	return *(uint64_t *)ctx;
}

static struct symbol_index make(const struct symbol *symbols, size_t nr, uint64_t limit)
{
	struct symbol_index ix = { .base = BASE };

	for (size_t i = 0; i < nr; i++)
		assert_true(symbol_index_add(&ix, &symbols[i]));
	symbol_index_finish(&ix, limit_is, &limit);
	return ix;
}

static int64_t find(const struct symbol_index *ix, uint64_t offset)
{
	uint64_t start;
	bool has_size;

	return symbol_index_find(ix, BASE + offset, &start, &has_size) ? -1
								       : (int64_t)(start - BASE);
}

static void test_sizes(void **state)
{
	const struct symbol symbols[] = {
		{ .value = BASE + 0x30, .size = 0x10 },
		{ .value = BASE + 0x10, .size = 0x10 },
		{ .value = BASE + 0x50 }, /* assembly */
		{ .value = BASE + 0x70, .size = 8 },
		{ .value = BASE + 0x80 },
	};
	struct symbol_index ix = make(symbols, 5, BASE + 0x90);

	assert_int_equal(find(&ix, 0x0f), -1);
	assert_int_equal(find(&ix, 0x10), 0x10);
	assert_int_equal(find(&ix, 0x1f), 0x10);
	assert_int_equal(find(&ix, 0x20), -1); /* behind its end: no name */
	assert_int_equal(find(&ix, 0x3f), 0x30);
	assert_int_equal(find(&ix, 0x40), -1);
	assert_int_equal(find(&ix, 0x6f), 0x50); /* without a size: up to the next */
	assert_int_equal(find(&ix, 0x78), -1);
	assert_int_equal(find(&ix, 0x8f), 0x80); /* the last: up to the limit */
	assert_int_equal(find(&ix, 0x90), -1);
	symbol_index_deinit(&ix);
}

static void test_nested(void **state)
{
	const struct symbol symbols[] = {
		{ .value = BASE, .size = 0x100 },
		{ .value = BASE + 0x40, .size = 0x10 }, /* inside the first */
		{ .value = BASE + 0x60 },		/* a label inside it */
	};
	struct symbol_index ix = make(symbols, 3, UINT64_MAX);

	assert_int_equal(find(&ix, 0x3f), 0);
	assert_int_equal(find(&ix, 0x44), 0x40);
	assert_int_equal(find(&ix, 0x50), 0);
	assert_int_equal(find(&ix, 0x61), 0); /* a function with a size hides a label */
	assert_int_equal(find(&ix, 0x101), 0x60);
	symbol_index_deinit(&ix);
}

static void test_does_not_fit(void **state)
{
	struct symbol_index ix = { .base = BASE };
	uint64_t limit = UINT64_MAX;

	assert_false(symbol_index_add(&ix, &(struct symbol){ .value = BASE - 1, .size = 1 }));
	assert_false(
		symbol_index_add(&ix, &(struct symbol){ .value = BASE + (1ull << 32), .size = 1 }));
	assert_true(symbol_index_add(
		&ix, &(struct symbol){ .value = BASE + UINT32_MAX, .size = UINT64_MAX }));
	symbol_index_finish(&ix, limit_is, &limit);
	assert_int_equal(find(&ix, UINT32_MAX), UINT32_MAX);
	assert_int_equal(find(&ix, 1ull << 32), -1);
	assert_int_equal(find(&ix, -1ull), -1);
	symbol_index_deinit(&ix);
}

static void test_empty(void **state)
{
	struct symbol_index ix = { .base = BASE };
	size_t nr;

	symbol_index_finish(&ix, limit_is, NULL);
	assert_int_equal(find(&ix, 0), -1);
	assert_null(symbol_index_at(&ix, BASE, &nr));
	assert_int_equal(nr, 0);
	symbol_index_deinit(&ix);
}

/* What the header promises, computed the slow way. */
static int64_t find_slowly(const struct symbol *symbols, size_t nr, uint64_t addr, uint64_t limit)
{
	int64_t sized = -1, other = -1;

	for (size_t i = 0; i < nr; i++) {
		uint64_t value = symbols[i].value, end = value + symbols[i].size;
		int64_t offset = value - BASE;

		if (!symbols[i].size) {
			end = limit < value + MAX_SIZE ? limit : value + MAX_SIZE;
			for (size_t k = 0; k < nr; k++)
				if (symbols[k].value > value && symbols[k].value < end)
					end = symbols[k].value;
		}
		if (addr < value || addr >= end)
			continue;
		if (symbols[i].size && offset > sized)
			sized = offset;
		if (!symbols[i].size && offset > other)
			other = offset;
	}
	return sized >= 0 ? sized : other;
}

static void test_against_slow(void **state)
{
	for (int round = 0; round < 300; round++) {
		struct symbol symbols[60];
		size_t nr = 1 + test_random_below(60), at;
		uint64_t spread = round % 2 ? 200 : 1ull << 31, limit = BASE + spread + 10;
		struct symbol_index ix;

		for (size_t i = 0; i < nr; i++)
			symbols[i] = (struct symbol){
				.value = BASE + test_random_below(spread),
				.size = test_random_below(3) ? test_random_below(spread / 32) : 0,
				.name = i,
			};
		ix = make(symbols, nr, limit);
		for (size_t i = 0; i + 1 < ix.nr; i++)
			assert_true(ix.entries[i].value <= ix.entries[i + 1].value);
		for (int k = 0; k < 200; k++) {
			uint64_t addr = BASE + test_random_below(spread + 20);

			assert_int_equal(find(&ix, addr - BASE),
					 find_slowly(symbols, nr, addr, limit));
		}
		for (size_t i = 0; i < nr; i++) {
			const struct index_entry *e = symbol_index_at(&ix, symbols[i].value, &at);
			bool found = false;

			for (size_t k = 0; k < at; k++) {
				assert_int_equal(e[k].value, symbols[i].value - BASE);
				found |= e[k].name == i;
			}
			assert_true(found);
		}
		symbol_index_deinit(&ix);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	     cmocka_unit_test(test_nested),
		cmocka_unit_test(test_does_not_fit), cmocka_unit_test(test_empty),
		cmocka_unit_test(test_against_slow),
	};

	return cmocka_run_group_tests_name("symbol_index", tests, NULL, NULL);
}
