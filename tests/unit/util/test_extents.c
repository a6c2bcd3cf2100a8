// SPDX-License-Identifier: GPL-2.0-or-later
/* Space taken and given back, against a map of who owns what. */
#include "unit/unit.h"

#include "util/extents.h"

static void test_merge(void **state)
{
	struct extents e;
	uint64_t at;

	extents_init(&e, 0);
	extents_add(&e, 0, 100);
	assert_int_equal(extents_take(&e, 30, &at), 0);
	assert_int_equal(at, 0);
	assert_int_equal(extents_take(&e, 71, &at), -ENOSPC);
	assert_int_equal(extents_take(&e, 70, &at), 0);
	assert_int_equal(at, 30);
	assert_int_equal(e.nr, 0);
	extents_add(&e, 0, 10);
	extents_add(&e, 20, 10);
	assert_int_equal(e.nr, 2);
	extents_add(&e, 10, 10);
	assert_int_equal(e.nr, 1);
	assert_int_equal(extents_take(&e, 30, &at), 0);
	extents_deinit(&e);
}

static void test_blocks(void **state)
{
	struct extents e;
	uint64_t at;

	extents_init(&e, 64);
	extents_add(&e, 0, 64);
	extents_add(&e, 64, 64);
	assert_int_equal(e.nr, 2);
	assert_int_equal(extents_take(&e, 65, &at), -ENOSPC);
	assert_int_equal(extents_take(&e, 40, &at), 0);
	assert_int_equal(extents_take(&e, 40, &at), 0);
	assert_int_equal(at, 64);
	extents_deinit(&e);
}

/* Random takes and gives against a plain map of who owns what. */
static void test_against_model(void **state)
{
	enum { SIZE = 512, HELD = 64 };
	uint8_t owned[SIZE] = { 0 };
	struct extent held[HELD];
	size_t nr = 0;
	struct extents e;

	extents_init(&e, 128);
	for (uint64_t i = 0; i < SIZE; i += 128)
		extents_add(&e, i, 128);
	for (int round = 0; round < 20000; round++) {
		if (nr < HELD && test_random_below(2)) {
			struct extent x = { .len = 1 + test_random_below(40) };

			if (extents_take(&e, x.len, &x.start))
				continue;
			assert_true(x.start / 128 == (x.start + x.len - 1) / 128);
			for (uint64_t i = 0; i < x.len; i++)
				assert_int_equal(owned[x.start + i]++, 0);
			held[nr++] = x;
		} else if (nr) {
			size_t k = test_random_below(nr);

			for (uint64_t i = 0; i < held[k].len; i++)
				assert_int_equal(owned[held[k].start + i]--, 1);
			extents_add(&e, held[k].start, held[k].len);
			held[k] = held[--nr];
		}
	}
	while (nr--)
		extents_add(&e, held[nr].start, held[nr].len);
	assert_int_equal(e.nr, SIZE / 128);
	assert_int_equal(e.nr_free, SIZE);
	extents_deinit(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_against_model),
	};

	return cmocka_run_group_tests_name("extents", tests, NULL, NULL);
}
