// SPDX-License-Identifier: GPL-2.0-or-later
/* The sampler's rules: each once, as long as a table uses it, and nobody has all the numbers. */
#include "capture/shared_rules.h"

#include <errno.h>
#include <stdlib.h>

#include "random.h"
#include "unit/unit.h"
#include "util/mem.h"

#define USER  1000u
#define OTHER 1001u

struct made {
	struct eddy_unwind_rules *memory;
	struct shared_rules *shared;
};

static int begin(void **state)
{
	struct made *m = xcalloc(1, sizeof(*m));

	m->memory = xcalloc(1, sizeof(*m->memory));
	m->shared = shared_rules_new(m->memory);
	*state = m;
	return 0;
}

static int end(void **state)
{
	struct made *m = *state;

	shared_rules_free(m->shared);
	free(m->memory);
	free(m);
	return 0;
}

/* A file with the rules from..from + nr - 1. */
static struct unwind_rules *file_new(uint32_t from, uint32_t nr)
{
	struct unwind_rules *rules = unwind_rules_new();

	for (uint32_t i = 0; i < nr; i++) {
		struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_SP,
						 .off = (int32_t)(from + i) * 8 };

		unwind_rules_intern(rules, &rule);
	}
	return rules;
}

static int take(struct made *m, owner_id owner, uint32_t from, uint32_t nr,
		struct rule_numbers_map *ret_map)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = file_new(from, nr);
	int r = shared_rules_take(m->shared, owner, rules, ret_map);

	/* What got a number stands there. */
	for (uint32_t i = 0; !r && i < ret_map->nr; i++) {
		const struct eddy_unwind_rule *want = unwind_rules_get(rules, i);
		uint16_t got = ret_map->number[i];

		if (got != UNWIND_RULE_UNSUP)
			assert_memory_equal(&m->memory->rule[got], want, sizeof(*want));
	}
	return r;
}

static void equal_rules_have_one_number(void **state)
{
	struct rule_numbers_map a, b;
	struct made *m = *state;

	assert_int_equal(take(m, USER, 0, 100, &a), 0);
	assert_int_equal(take(m, OTHER, 50, 100, &b), 0);
	assert_int_equal(shared_rules_nr(m->shared), 150);
	assert_int_equal(a.number[4 + 50], b.number[4]);
	shared_rules_give(m->shared, &a);
	assert_int_equal(shared_rules_nr(m->shared), 100);
	/* The fifty that both had are there still. */
	assert_int_equal(take(m, USER, 50, 50, &a), 0);
	assert_int_equal(a.number[4], b.number[4]);
	shared_rules_give(m->shared, &a);
	shared_rules_give(m->shared, &b);
	assert_int_equal(shared_rules_nr(m->shared), 0);
}

/* Files of a user that say something else each; the system's, and another user's, get theirs. */
static void one_user_does_not_take_all(void **state)
{
	struct rule_numbers_map of_user[20], system, other;
	struct made *m = *state;
	uint64_t nr_refused = 0;
	owner_id greediest;

	for (uint32_t i = 0; i < ARRAY_SIZE(of_user); i++) {
		assert_int_equal(take(m, USER, 4000 * i, 4000, &of_user[i]), 0);
		nr_refused += of_user[i].nr_refused;
	}
	assert_int_equal(shared_rules_nr(m->shared), (EDDY_UNWIND_MAX_RULES - 4) / 2);
	assert_int_equal(nr_refused, 20 * 4000 - (EDDY_UNWIND_MAX_RULES - 4) / 2);
	assert_false(shared_rules_have_room(m->shared, USER, 1));
	assert_int_equal(take(m, OWNER_SYSTEM, 1 << 20, 4000, &system), 0);
	assert_int_equal(system.nr_refused, 0);
	assert_int_equal(take(m, OTHER, 2 << 20, 4000, &other), 0);
	assert_int_equal(other.nr_refused, 0);
	assert_true(shared_rules_greediest(m->shared, OTHER, &greediest));
	assert_int_equal(greediest, USER);
	for (uint32_t i = 0; i < ARRAY_SIZE(of_user); i++)
		shared_rules_give(m->shared, &of_user[i]);
	shared_rules_give(m->shared, &other);
	shared_rules_give(m->shared, &system);
	assert_int_equal(shared_rules_nr(m->shared), 0);
}

/* When there is none left, who is within his share is told to wait, and nothing was taken. */
static void who_comes_to_a_full_dictionary_waits(void **state)
{
	struct rule_numbers_map of_user[9], of_system[9], other;
	struct made *m = *state;
	uint32_t nr;

	for (uint32_t i = 0; i < 9; i++) {
		assert_int_equal(take(m, USER, 4000 * i, 4000, &of_user[i]), 0);
		assert_int_equal(take(m, OWNER_SYSTEM, (1 << 20) + 4000 * i, 4000, &of_system[i]),
				 0);
	}
	nr = shared_rules_nr(m->shared);
	assert_int_equal(nr, EDDY_UNWIND_MAX_RULES - 4);
	assert_int_equal(take(m, OTHER, 2 << 20, 100, &other), -ENOSPC);
	assert_int_equal(shared_rules_nr(m->shared), nr);
	shared_rules_give(m->shared, &of_user[0]);
	assert_int_equal(take(m, OTHER, 2 << 20, 100, &other), 0);
	assert_int_equal(other.nr_refused, 0);
	shared_rules_give(m->shared, &other);
	for (uint32_t i = 0; i < 9; i++) {
		if (i)
			shared_rules_give(m->shared, &of_user[i]);
		shared_rules_give(m->shared, &of_system[i]);
	}
}

/* Come and go at random: all numbers come back, and each table's rules are its own meanwhile. */
static void numbers_come_back(void **state)
{
	struct rule_numbers_map maps[32] = { 0 };
	struct made *m = *state;

	for (int step = 0; step < 2000; step++) {
		struct rule_numbers_map *map = &maps[test_random_below(ARRAY_SIZE(maps))];

		if (map->number)
			shared_rules_give(m->shared, map);
		else
			assert_int_equal(take(m, USER + (uint32_t)test_random_below(2),
					      (uint32_t)test_random_below(200),
					      (uint32_t)test_random_below(100), map),
					 0);
		assert_true(shared_rules_nr(m->shared) <= 300);
	}
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		if (maps[i].number)
			shared_rules_give(m->shared, &maps[i]);
	assert_int_equal(shared_rules_nr(m->shared), 0);
}

#define with(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with(equal_rules_have_one_number),
		with(one_user_does_not_take_all),
		with(who_comes_to_a_full_dictionary_waits),
		with(numbers_come_back),
	};

	return cmocka_run_group_tests_name("shared_rules", tests, NULL, NULL);
}
