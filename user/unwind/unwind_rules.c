// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rule dictionary: open addressing over rule numbers, half full at most.  It is asked once
 * for every raw row of .eh_frame, so the slots carry nothing but the number.
 */
#include "unwind/unwind_rules.h"

#include <string.h>

#include "util/hash.h"
#include "util/mem.h"

#define NR_SLOTS   (2 * EDDY_UNWIND_MAX_RULES)
#define FILE_SHARE 16 /* of what is left, for one file */

_Static_assert(sizeof(struct eddy_unwind_rule) == 12, "rules are compared as bytes");

struct unwind_rules {
	struct eddy_unwind_rule *rule;
	struct eddy_unwind_rules *own; /* NULL when the memory was given */
	uint32_t nr_rules;
	uint32_t max_rules; /* of this file and all before */
	uint64_t refused;
	uint16_t slot[NR_SLOTS]; /* rule number; 0: empty, rule 0 is never looked up here */
};

static uint64_t rule_hash(const struct eddy_unwind_rule *rule)
{
	uint64_t low;
	uint32_t high;

	memcpy(&low, rule, 8);
	memcpy(&high, (const char *)rule + 8, 4);
	return hash_mix(low, high);
}

struct unwind_rules *unwind_rules_new(struct eddy_unwind_rules *memory)
{
	static const uint8_t fixed[] = { [UNWIND_RULE_UNSUP] = EDDY_CFA_UNSUP,
					 [UNWIND_RULE_STOP] = EDDY_CFA_STOP,
					 [UNWIND_RULE_SIGNAL] = EDDY_CFA_SIGNAL };
	struct unwind_rules *rules = xcalloc(1, sizeof(*rules));

	if (!memory)
		memory = rules->own = xcalloc(1, sizeof(*rules->own));
	rules->rule = memory->rule;
	memset(&rules->rule[UNWIND_RULE_NONE], 0, sizeof(rules->rule[0]));
	rules->nr_rules = 1;
	rules->max_rules = EDDY_UNWIND_MAX_RULES;
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
	free(rules->own);
	free(rules);
}

void unwind_rules_begin_file(struct unwind_rules *rules)
{
	uint32_t left = EDDY_UNWIND_MAX_RULES - rules->nr_rules;

	rules->max_rules = rules->nr_rules + left / FILE_SHARE;
}

uint32_t unwind_rules_intern(struct unwind_rules *rules, const struct eddy_unwind_rule *rule)
{
	uint64_t at = rule_hash(rule);
	uint32_t nr;

	if (rule->cfa == EDDY_CFA_NONE)
		return UNWIND_RULE_NONE;
	for (;; at++) {
		nr = rules->slot[at % NR_SLOTS];
		if (!nr)
			break;
		if (!memcmp(&rules->rule[nr], rule, sizeof(*rule)))
			return nr;
	}
	if (rules->nr_rules == rules->max_rules) {
		__atomic_fetch_add(&rules->refused, 1, __ATOMIC_RELAXED);
		return UNWIND_RULE_UNSUP;
	}
	nr = rules->nr_rules++;
	rules->rule[nr] = *rule;
	rules->slot[at % NR_SLOTS] = (uint16_t)nr;
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
	return __atomic_load_n(&rules->refused, __ATOMIC_RELAXED);
}
