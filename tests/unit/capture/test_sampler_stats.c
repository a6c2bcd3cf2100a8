// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of windows and differences of readings: every number, but for those that tell how it is. */
#include "unit/unit.h"

#include <stddef.h>

#include "capture/sampler_stats.h"
#include "util/mem.h"

#define AT(member) (offsetof(struct sampler_stats, member) / sizeof(uint64_t))
#define NR_NUMBERS AT(due_is_known)

static void fill(struct sampler_stats *s, uint64_t start, uint64_t step)
{
	for (size_t i = 0; i < NR_NUMBERS; i++)
		((uint64_t *)s)[i] = start + i * step;
}

/* Not counted since the start. */
static bool stands(size_t i)
{
	static const size_t standing[] = {
		AT(not_taken_slack),
		AT(nr_cpus),
		AT(user_bytes),
		AT(tables.maps.nr_tables),
		AT(tables.maps.row_bytes),
		AT(tables.maps.slab_bytes),
		AT(tables.maps.nr_rules),
		AT(tables.nr_files),
		AT(tables.preload_ns),
		AT(tables.nr_preloaded),
	};

	for (size_t k = 0; k < ARRAY_SIZE(standing); k++)
		if (standing[k] == i)
			return true;
	return false;
}

static void test_since_and_add(void **state)
{
	struct sampler_stats before = { 0 }, now = { .due_is_known = true }, sum;

	fill(&before, 100, 1);
	fill(&now, 5000, 10);
	sum = before;
	sampler_stats_since(&now, &before);
	assert_true(now.due_is_known);
	for (size_t i = 0; i < NR_NUMBERS; i++)
		assert_int_equal(((uint64_t *)&now)[i], stands(i) ? 5000 + 10 * i : 4900 + 9 * i);
	sampler_stats_add(&sum, &now);
	assert_true(sum.due_is_known);
	for (size_t i = 0; i < NR_NUMBERS; i++)
		assert_int_equal(((uint64_t *)&sum)[i], 5000 + 10 * i);
}

/* Every counter of the program goes somewhere, but for the one that the drain divides. */
static void test_counters(void **state)
{
	for (int is_weighed = 0; is_weighed < 2; is_weighed++) {
		struct eddy_counters from;
		struct sampler_stats s = { .is_weighed = is_weighed };
		size_t nr = sizeof(from) / sizeof(uint64_t), found = 0;
		size_t nr_weights = sizeof(from.weight) / sizeof(uint64_t);

		for (size_t i = 0; i < nr; i++)
			((uint64_t *)&from)[i] = 1000 + i;
		sampler_stats_set(&s, &from);
		for (size_t i = 0; i < NR_NUMBERS; i++)
			found += ((uint64_t *)&s)[i] != 0;
		assert_int_equal(found, is_weighed ? nr - 2 : nr - nr_weights - 1);
		assert_int_equal(s.delivered, from.delivered);
		assert_int_equal(s.lost[SAMPLER_LOST_MAP_BUSY], from.lost_map_busy);
		assert_int_equal(s.bpf_ns, from.run_ns);
		assert_int_equal(s.kept, 0);
		assert_int_equal(s.weight.lost[SAMPLER_LOST_MAP_FULL],
				 is_weighed ? from.weight.lost_map_full : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_since_and_add),
		cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests_name("sampler_stats", tests, NULL, NULL);
}
