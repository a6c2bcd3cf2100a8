// SPDX-License-Identifier: GPL-2.0-or-later
/* The dictionary: equal rules have one number, and a full one says so. */
#include "unwind/unwind_rules.h"

#include "unit/unit.h"
#include "util/mem.h"

static void fixed_numbers(void **state)
{
	struct eddy_unwind_rules *memory = xcalloc(1, sizeof(*memory));
	struct unwind_rules *rules = unwind_rules_new(memory);
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_STOP };

	assert_int_equal(unwind_rules_count(rules), 4);
	assert_int_equal(unwind_rules_intern(rules, &rule), UNWIND_RULE_STOP);
	rule.cfa = EDDY_CFA_SIGNAL;
	assert_int_equal(unwind_rules_intern(rules, &rule), UNWIND_RULE_SIGNAL);
	rule.cfa = EDDY_CFA_UNSUP;
	assert_int_equal(unwind_rules_intern(rules, &rule), UNWIND_RULE_UNSUP);
	rule.cfa = EDDY_CFA_NONE;
	assert_int_equal(unwind_rules_intern(rules, &rule), UNWIND_RULE_NONE);
	assert_int_equal(memory->rule[UNWIND_RULE_STOP].cfa, EDDY_CFA_STOP);
	unwind_rules_free(rules);
	free(memory);
}

static void full_dictionary(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new(NULL);
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_SP };
	const uint32_t room = EDDY_UNWIND_MAX_RULES - unwind_rules_count(rules);
	uint32_t nr;

	for (uint32_t i = 0; i < room + 10; i++) {
		rule.off = (int32_t)i * 8;
		nr = unwind_rules_intern(rules, &rule);
		if (i < room)
			assert_memory_equal(unwind_rules_get(rules, nr), &rule, sizeof(rule));
		else
			assert_int_equal(nr, UNWIND_RULE_UNSUP);
	}
	assert_int_equal(unwind_rules_refused(rules), 10);
	for (uint32_t i = 0; i < room; i++) {
		rule.off = (int32_t)i * 8;
		nr = unwind_rules_intern(rules, &rule);
		assert_memory_equal(unwind_rules_get(rules, nr), &rule, sizeof(rule));
	}
	assert_int_equal(unwind_rules_refused(rules), 10);
}

/* Adds n rules that nobody has had before; the answer is how many got a number. */
static uint32_t add_new(struct unwind_rules *rules, uint32_t n)
{
	static int32_t off = 1 << 24;
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_FP };
	uint32_t before = unwind_rules_count(rules);

	for (uint32_t i = 0; i < n; i++) {
		rule.off = off++;
		unwind_rules_intern(rules, &rule);
	}
	return unwind_rules_count(rules) - before;
}

static void one_file_does_not_take_all(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new(NULL);
	struct eddy_unwind_rule known = { .cfa = EDDY_CFA_SP, .off = 8 };
	uint32_t nr = unwind_rules_intern(rules, &known), got;
	uint64_t refused = 0;

	/* Forty files that want everything; after each of them an honest one still gets its own. */
	for (int i = 0; i < 40; i++) {
		unwind_rules_begin_file(rules);
		got = add_new(rules, EDDY_UNWIND_MAX_RULES);
		refused += EDDY_UNWIND_MAX_RULES - got;
		assert_in_range(got, 100, EDDY_UNWIND_MAX_RULES / 16);
		unwind_rules_begin_file(rules);
		assert_int_equal(add_new(rules, 100), 100);
	}
	assert_int_equal(unwind_rules_refused(rules), refused);
	/* Rules that have a number keep it for everybody. */
	assert_int_equal(unwind_rules_intern(rules, &known), nr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_numbers),
		cmocka_unit_test(full_dictionary),
		cmocka_unit_test(one_file_does_not_take_all),
	};

	return cmocka_run_group_tests_name("unwind_rules", tests, NULL, NULL);
}
