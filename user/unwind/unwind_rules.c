// SPDX-License-Identifier: GPL-2.0-or-later
/* The rule dictionary: an array of rules and a table of their numbers. */
#include "unwind/unwind_rules.h"

#include <string.h>

#include "unwind/rule_numbers.h"
#include "util/mem.h"

#define FIRST_RULES 192

struct unwind_rules {
	struct eddy_unwind_rule *rule;
	size_t cap_rules;
	uint32_t nr_rules;
	uint64_t refused;
	struct rule_numbers numbers;
};

struct unwind_rules *unwind_rules_new(void)
{
	static const uint8_t fixed[] = { [UNWIND_RULE_UNSUP] = EDDY_CFA_UNSUP,
					 [UNWIND_RULE_STOP] = EDDY_CFA_STOP,
					 [UNWIND_RULE_SIGNAL] = EDDY_CFA_SIGNAL };
	struct unwind_rules *rules = xcalloc(1, sizeof(*rules));

	array_reserve(rules->rule, rules->cap_rules, FIRST_RULES);
	memset(&rules->rule[UNWIND_RULE_NONE], 0, sizeof(rules->rule[0]));
	rules->nr_rules = 1;
	rule_numbers_init(&rules->numbers, FIRST_RULES);
	for (uint32_t i = 1; i < ARRAY_SIZE(fixed); i++) {
		struct eddy_unwind_rule rule = { .cfa = fixed[i] };

		unwind_rules_intern(rules, &rule);
	}
	return rules;
}

void unwind_rules_free(struct unwind_rules *rules)
{
	if (!rules)
		return;
	rule_numbers_deinit(&rules->numbers);
	free(rules->rule);
	free(rules);
}

uint32_t unwind_rules_intern(struct unwind_rules *rules, const struct eddy_unwind_rule *rule)
{
	uint64_t hash = unwind_rule_hash(rule);
	const uint16_t *known;
	uint32_t nr;

	if (rule->cfa == EDDY_CFA_NONE)
		return UNWIND_RULE_NONE;
	known = rule_numbers_find(&rules->numbers, rules->rule, hash, rule);
	if (known)
		return *known;
	if (rules->nr_rules == UNWIND_RULES_MAX) {
		rules->refused++;
		return UNWIND_RULE_UNSUP;
	}
	array_reserve(rules->rule, rules->cap_rules, (size_t)rules->nr_rules + 1);
	nr = rules->nr_rules++;
	rules->rule[nr] = *rule;
	*rule_numbers_add(&rules->numbers, rules->rule, hash) = (uint16_t)nr;
	return nr;
}

const struct eddy_unwind_rule *unwind_rules_get(const struct unwind_rules *rules, uint32_t nr)
{
	return &rules->rule[nr];
}

uint32_t unwind_rules_count(const struct unwind_rules *rules)
{
	return rules->nr_rules;
}

uint64_t unwind_rules_refused(const struct unwind_rules *rules)
{
	return rules->refused;
}
