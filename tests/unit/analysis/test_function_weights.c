// SPDX-License-Identifier: GPL-2.0-or-later
/* Self and inclusive counts against their definition: random stacks, and a very deep one. */
#include "unit/unit.h"

#include "analysis/function_weights.h"
#include "util/mem.h"

/* Against the definition: each stack walked up, each function of it counted once. */
static void check(const struct profile *p)
{
	size_t nr = frame_table_nr(profile_frames(p));
	_cleanup_free_ uint64_t *inclusive = xcalloc(nr, 8), *self = xcalloc(nr, 8);
	_cleanup_free_ uint64_t *want = xcalloc(nr, 8), *want_self = xcalloc(nr, 8);
	_cleanup_free_ node_id *seen = xcalloc(nr, sizeof(*seen));

	inclusive[nr - 1] = 17; /* is overwritten */
	function_weights(p, inclusive, self);
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		want_self[profile_frame(p, n)] += profile_self(p, n);
		for (node_id at = n; at; at = profile_parent(p, at)) {
			frame_id f = profile_frame(p, at);

			if (seen[f] != n)
				want[f] += profile_self(p, n);
			seen[f] = n;
		}
	}
	assert_memory_equal(inclusive, want, nr * 8);
	assert_memory_equal(self, want_self, nr * 8);
}

static void test_random_stacks(void **state)
{
	for (int round = 0; round < 60; round++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		frame_id f[9];

		for (int i = 0; i < 9; i++) {
			char name[2] = { 'a' + i, 0 };

			f[i] = frame_table_add_text(profile_frames(p), name, 1);
		}
		for (int s = 0; s < round * 3; s++) {
			frame_id stack[12];
			size_t depth = test_random_below(13);

			for (size_t i = 0; i < depth; i++)
				stack[i] = f[test_random_below(1 + round % 9)];
			profile_add(p, profile_stack(p, stack, depth), test_random_below(50));
		}
		check(p);
	}
}

static void test_very_deep(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	frame_id a = frame_table_add_text(profile_frames(p), "a", 1);
	uint64_t inclusive[2], self[2];
	node_id n = NODE_ROOT;

	for (int i = 0; i < 1000000; i++)
		n = profile_child(p, n, a);
	profile_add(p, n, 3);
	function_weights(p, inclusive, self);
	assert_int_equal(inclusive[a], 3);
	assert_int_equal(self[a], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_stacks),
		cmocka_unit_test(test_very_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
