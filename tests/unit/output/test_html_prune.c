// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees that are too large for a page: no sample is lost, and what stays is what has most. */
#include "unit/unit.h"

#include <stdbool.h>
#include <stdio.h>

#include "output/html_prune.h"
#include "util/mem.h"

#define NAMES 12

static struct profile *make_profile(frame_id *names, size_t nr_stacks)
{
	struct profile *p = profile_new(NULL);

	for (int i = 0; i < NAMES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		names[i] = frame_table_add_text(profile_frames(p), name, strlen(name));
	}
	for (size_t s = 0; s < nr_stacks; s++) {
		node_id at = NODE_ROOT;

		for (uint64_t d = 1 + test_random_below(12); d; d--)
			at = profile_child(p, at, names[test_random_below(NAMES)]);
		assert_int_equal(profile_add(p, at, test_random_below(9)), 0);
	}
	return p;
}

/* Nodes with samples at or under them. */
static size_t count_live(const struct profile *p, const uint64_t *sums)
{
	size_t nr = 0;

	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		nr += sums[n] > 0;
	return nr;
}

/* Every node of the pruned tree but the marks has the samples that it has in the whole one. */
static void expect_same(const struct profile *p, const struct profile *pruned,
			const struct html_left_out *out)
{
	_cleanup_free_ node_id *at = xcalloc(profile_nr_nodes(pruned), sizeof(*at));
	_cleanup_free_ uint64_t *sums = xcalloc(profile_nr_nodes(p), sizeof(*sums));
	_cleanup_free_ uint64_t *kept = xcalloc(profile_nr_nodes(pruned), sizeof(*kept));
	uint64_t marked = 0;

	profile_sum(p, sums);
	profile_sum(pruned, kept);
	for (node_id n = 1; n < profile_nr_nodes(pruned); n++) {
		node_id parent = at[profile_parent(pruned, n)];

		if (html_is_left_out(profile_frames(p), profile_frame(pruned, n))) {
			marked += kept[n];
			continue;
		}
		at[n] = profile_find_child(p, parent, profile_frame(pruned, n));
		assert_true(at[n] != NODE_DROP);
		assert_int_equal(kept[n], sums[at[n]]);
		assert_true(kept[n] >= out->threshold);
	}
	assert_int_equal(marked, out->samples);
}

static void test_prune(void **state)
{
	for (int round = 0; round < 60; round++) {
		frame_id names[NAMES];
		_cleanup_profile_ struct profile *p = make_profile(names, test_random_below(400));
		_cleanup_free_ uint64_t *sums = xcalloc(profile_nr_nodes(p), sizeof(*sums));
		size_t max = 1 + test_random_below(900), nr;
		struct html_left_out out;
		_cleanup_profile_ struct profile *pruned = html_prune(p, max, &out);

		profile_sum(p, sums);
		nr = count_live(p, sums);
		assert_int_equal(!pruned, nr <= max);
		if (!pruned) {
			assert_int_equal(out.nodes, 0);
			continue;
		}
		assert_true(profile_nr_nodes(pruned) - 1 <= max);
		assert_int_equal(profile_total(pruned), profile_total(p));
		assert_true(out.nodes > 0 && out.nodes <= nr);
		expect_same(p, pruned, &out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_prune) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
