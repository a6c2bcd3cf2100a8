/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dictionary of rules of one file, or of several: a rule stands in it once and is known by its
 * number, which the rows carry.  The sampler has one for all files (capture/shared_rules.h).
 *
 * Of a distribution's files none has more than 1,300 different rules; beyond UNWIND_RULES_MAX they
 * become UNWIND_RULE_UNSUP and are counted.
 */
#ifndef EDDY_UNWIND_UNWIND_RULES_H
#define EDDY_UNWIND_UNWIND_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unwind_abi.h"
#include "util/cleanup.h"
#include "util/hash.h"

struct unwind_rules;

/* Fixed numbers, in every dictionary. */
enum {
	UNWIND_RULE_NONE = EDDY_UNWIND_RULE_NONE,
	UNWIND_RULE_UNSUP = 1,
	UNWIND_RULE_STOP = 2,
	UNWIND_RULE_SIGNAL = 3,
};

#define UNWIND_RULES_MAX 4096

struct unwind_rules *unwind_rules_new(void);
void unwind_rules_free(struct unwind_rules *rules);
DEFINE_FREE(unwind_rules, struct unwind_rules *, unwind_rules_free)

/* The number of a rule; new rules are added, UNWIND_RULE_UNSUP when there is no room for it. */
uint32_t unwind_rules_intern(struct unwind_rules *rules, const struct eddy_unwind_rule *rule);
/* The rule of a number, below unwind_rules_count(); valid until the next rule is added. */
const struct eddy_unwind_rule *unwind_rules_get(const struct unwind_rules *rules, uint32_t nr);
uint32_t unwind_rules_count(const struct unwind_rules *rules);
/* How often a rule did not get a number. */
uint64_t unwind_rules_refused(const struct unwind_rules *rules);

_Static_assert(sizeof(struct eddy_unwind_rule) == 12, "rules are compared as bytes");

/* Can a rule have the offset, of a saved register: a multiple of 8 within 16 bits of them? */
static inline bool unwind_rule_fits_off8(int64_t off)
{
	return !(off & 7) && off / 8 >= INT16_MIN && off / 8 <= INT16_MAX;
}

/* For tables that rules are looked up in. */
static inline uint64_t unwind_rule_hash(const struct eddy_unwind_rule *rule)
{
	uint64_t low;
	uint32_t high;

	memcpy(&low, rule, 8);
	memcpy(&high, (const char *)rule + 8, 4);
	return hash_mix(low, high);
}

#endif
