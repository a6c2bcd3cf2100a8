/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of rules, found by the bytes of a rule.  The rules stand in an array, a number is a place
 * in it; 0 is never looked for.  It is asked once for every raw row of .eh_frame, so the slots
 * carry nothing but the number, and 16 bits of it.
 */
#ifndef EDDY_UNWIND_RULE_NUMBERS_H
#define EDDY_UNWIND_RULE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unwind/unwind_rules.h"
#include "util/table.h"

/* The functions of the table are given the array. */
DEFINE_TABLE(rule_numbers, uint16_t, struct eddy_unwind_rule, struct eddy_unwind_rule)

static inline bool rule_numbers_is_used(const uint16_t *nr)
{
	return *nr != 0;
}

static inline uint64_t rule_numbers_hash(const struct eddy_unwind_rule *rules, const uint16_t *nr)
{
	return unwind_rule_hash(&rules[*nr]);
}

static inline bool rule_numbers_equals(const struct eddy_unwind_rule *rules, const uint16_t *nr,
				       const struct eddy_unwind_rule *rule)
{
	return !memcmp(&rules[*nr], rule, sizeof(*rule));
}

#endif
