// SPDX-License-Identifier: GPL-2.0-or-later
/* The cache of frames by address, against a table that forgets nothing. */
#include "unit/unit.h"

#include "symbol/frame_cache.h"

static void test_basics(void **state)
{
	struct frame_cache *c = frame_cache_new(64);

	assert_int_equal(frame_cache_get(c, 1, 0), 0);
	frame_cache_put(c, 1, 0, 7);
	frame_cache_put(c, 2, 0, 8); /* the same address elsewhere */
	assert_int_equal(frame_cache_get(c, 1, 0), 7);
	assert_int_equal(frame_cache_get(c, 2, 0), 8);
	frame_cache_put(c, 1, 0, 9);
	assert_int_equal(frame_cache_get(c, 1, 0), 9);
	frame_cache_clear(c);
	assert_int_equal(frame_cache_get(c, 1, 0), 0);
	frame_cache_free(c);
}

/* It may forget, but never answers wrongly; what is asked for all the time stays. */
static void test_against_slow(void **state)
{
	struct frame_cache *c = frame_cache_new(256);
	uint32_t *truth = calloc(8 * 1024, sizeof(*truth));
	size_t hits = 0;

	frame_cache_put(c, 9, 42, 4242);
	for (int i = 0; i < 200000; i++) {
		uint32_t space = 1 + test_random_below(8), addr = test_random_below(1024), got;
		uint32_t *want = &truth[(space - 1) * 1024 + addr];

		got = frame_cache_get(c, space, addr);
		if (got) {
			assert_int_equal(got, *want);
			hits++;
		}
		if (!got || !test_random_below(3)) {
			*want = 1 + test_random_below(UINT32_MAX);
			frame_cache_put(c, space, addr, *want);
		}
		assert_int_equal(frame_cache_get(c, space, addr), *want);
		assert_int_equal(frame_cache_get(c, 9, 42), 4242);
	}
	assert_true(hits > 0);
	assert_true(frame_cache_bytes(c) < 256 * 16 + 1024);
	free(truth);
	frame_cache_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basics),
		cmocka_unit_test(test_against_slow),
	};

	return cmocka_run_group_tests_name("frame_cache", tests, NULL, NULL);
}
