// SPDX-License-Identifier: GPL-2.0-or-later
/* The dictionary: equal rules have one number, and a full one says so. */
#include "unwind/unwind_rules.h"

#include "unit/unit.h"

static void fixed_numbers(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_STOP };

	assert_int_equal(unwind_rules_count(rules), 4);
	assert_int_equal(unwind_rules_intern(rules, &rule), UNWIND_RULE_STOP);
	rule.cfa = EDDY_CFA_SIGNAL;
	assert_int_equal(unwind_rules_intern(rules, &rule), UNWIND_RULE_SIGNAL);
	rule.cfa = EDDY_CFA_UNSUP;
	assert_int_equal(unwind_rules_intern(rules, &rule), UNWIND_RULE_UNSUP);
	rule.cfa = EDDY_CFA_NONE;
	assert_int_equal(unwind_rules_intern(rules, &rule), UNWIND_RULE_NONE);
	assert_int_equal(unwind_rules_get(rules, UNWIND_RULE_STOP)->cfa, EDDY_CFA_STOP);
}

static void full_dictionary(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_SP };
	const uint32_t room = UNWIND_RULES_MAX - unwind_rules_count(rules);
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

static void offsets_that_fit(void **state)
{
	static const int64_t good[] = { 0, -8, 8, 8 * INT16_MAX, 8 * INT16_MIN };
	static const int64_t bad[] = {
		4, -1, 8 * (INT16_MAX + 1), 8 * (INT16_MIN - 1), INT64_MIN, INT64_MAX
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(unwind_rule_fits_off8(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(unwind_rule_fits_off8(bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_numbers),
		cmocka_unit_test(full_dictionary),
		cmocka_unit_test(offsets_that_fit),
	};

	return cmocka_run_group_tests_name("unwind_rules", tests, NULL, NULL);
}
