/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dictionary of rules, shared by all tables: a rule stands in it once and is known by its
 * number.  It only grows; a distribution has about 5,000 different rules.  When all 65,536
 * numbers are used, further rules become UNWIND_RULE_UNSUP and are counted.
 *
 * One thread writes.  BPF may read the rules meanwhile: a rule is complete before its number
 * leaves this module.
 */
#ifndef EDDY_UNWIND_UNWIND_RULES_H
#define EDDY_UNWIND_UNWIND_RULES_H

#include <stdint.h>

#include "unwind_abi.h"
#include "util/cleanup.h"

struct unwind_rules;

/* Fixed numbers, in every dictionary. */
enum {
	UNWIND_RULE_NONE = EDDY_UNWIND_RULE_NONE,
	UNWIND_RULE_UNSUP = 1,
	UNWIND_RULE_STOP = 2,
	UNWIND_RULE_SIGNAL = 3,
};

/*
 * `memory`: where the rules stand (a mapped BPF map), outlives the dictionary; NULL: the dictionary
 * has memory of its own.
 */
struct unwind_rules *unwind_rules_new(struct eddy_unwind_rules *memory);
void unwind_rules_free(struct unwind_rules *rules);
DEFINE_FREE(unwind_rules, struct unwind_rules *, unwind_rules_free)

/*
 * From here on the rules are those of another file, which may add a sixteenth of the numbers that
 * are left: one that says something else for every byte cannot take them from all others.  Of a
 * distribution's files none has more than 1,300.
 */
void unwind_rules_begin_file(struct unwind_rules *rules);
/* The number of a rule; new rules are added, UNWIND_RULE_UNSUP when there is no room for it. */
uint32_t unwind_rules_intern(struct unwind_rules *rules, const struct eddy_unwind_rule *rule);
/* The rule of a number, below unwind_rules_count(); valid as long as the dictionary. */
const struct eddy_unwind_rule *unwind_rules_get(const struct unwind_rules *rules, uint32_t nr);
uint32_t unwind_rules_count(const struct unwind_rules *rules);
/* How often a rule did not get a number; may be asked while another thread adds rules. */
uint64_t unwind_rules_refused(const struct unwind_rules *rules);

#endif
