// SPDX-License-Identifier: GPL-2.0-or-later
/* Totals are kept and every prefix of the nodes is right to one, whatever the factor. */
#include "profile/profile_scale.h"

#include <stdio.h>

#include "random.h"
#include "unit/unit.h"

static void check(const struct profile *p, double factor)
{
	_cleanup_profile_ struct profile *scaled = profile_scale(p, factor);
	double want = 0, got = 0;

	/* Nodes are added in the same order. */
	assert_int_equal(profile_nr_nodes(scaled), profile_nr_nodes(p));
	for (node_id n = 0; n < profile_nr_nodes(p); n++) {
		assert_int_equal(profile_frame(scaled, n), profile_frame(p, n));
		want += profile_self(p, n) * factor;
		got += profile_self(scaled, n);
		assert_true(got <= want + 1 && got >= want - 1);
	}
	assert_true(profile_frames(scaled) == profile_frames(p));
}

static void test_sums(void **state)
{

	for (int round = 0; round < 200; round++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		char name[8];

		for (int i = 0; i < 100; i++) {
			node_id at = test_random_below(profile_nr_nodes(p));
			int len = snprintf(name, sizeof(name), "f%d", (int)test_random_below(9));

			at = profile_child(p, at,
					   frame_table_add_text(profile_frames(p), name, len));
			profile_add(p, at, test_random_below(1000));
		}
		check(p, 1);
		check(p, 0.25);
		check(p, 1 / (1.0 + test_random_below(5000)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests_name("profile_scale", tests, NULL, NULL);
}
