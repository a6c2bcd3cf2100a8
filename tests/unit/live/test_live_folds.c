// SPDX-License-Identifier: GPL-2.0-or-later
/* Folded rows: the same as of a set, whatever comes in which order. */
#include "live/live_folds.h"

#include "unit/unit.h"
#include "util/mem.h"

static void test_as_a_set(void **state)
{
	struct live_folds f = { 0 };
	bool is_folded[64] = { false };

	assert_false(live_folds_has(NULL, 1));
	for (int i = 0; i < 5000; i++) {
		uint64_t key = test_random_below(ARRAY_SIZE(is_folded));
		bool wanted = test_random_below(2);

		if (!test_random_below(200)) {
			live_folds_set_all(&f, wanted);
			for (size_t k = 0; k < ARRAY_SIZE(is_folded); k++)
				is_folded[k] = wanted;
		}
		assert_int_equal(live_folds_has(&f, key), is_folded[key]);
		assert_int_equal(live_folds_set(&f, key, wanted), is_folded[key] != wanted);
		is_folded[key] = wanted;
	}
	for (size_t k = 0; k < ARRAY_SIZE(is_folded); k++)
		assert_int_equal(live_folds_has(&f, k), is_folded[k]);
	live_folds_deinit(&f);
}

static void test_bound(void **state)
{
	struct live_folds f = { 0 };

	for (uint64_t key = 0; key < LIVE_MAX_FOLDS; key++)
		assert_true(live_folds_set(&f, key * 3, true));
	assert_false(live_folds_set(&f, 1, true));
	assert_false(live_folds_has(&f, 1));
	assert_true(live_folds_set(&f, 3, false));
	assert_true(live_folds_set(&f, 1, true));
	live_folds_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_a_set),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
