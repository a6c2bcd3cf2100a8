/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler's dictionary of rules: 65,536 numbers that the tables of all files share.  A rule
 * stands in it once, for as long as a table uses it.  Of the numbers each user has a share
 * (util/fair_share.h); who adds a rule is charged for it until nobody uses it.
 */
#ifndef EDDY_CAPTURE_SHARED_RULES_H
#define EDDY_CAPTURE_SHARED_RULES_H

#include <stdint.h>

#include "unwind/unwind_rules.h"
#include "unwind_abi.h"
#include "util/fair_share.h"

struct shared_rules;

/* What the numbers of a file's dictionary became. */
struct rule_numbers_map {
	uint16_t *number; /* by the file's number; NULL: all stay as they are */
	uint32_t nr;
	uint32_t nr_refused; /* that became UNWIND_RULE_UNSUP: their owner has no more */
};

/* `memory`: where the rules stand, a mapped BPF map; outlives the dictionary. */
struct shared_rules *shared_rules_new(struct eddy_unwind_rules *memory);
void shared_rules_free(struct shared_rules *r); /* NULL is fine */

/*
 * Gives all rules of a file numbers here; they are in the memory before this returns.  -ENOSPC:
 * those to whom shared_rules_greediest() leads have them, and nothing was given.
 */
int shared_rules_take(struct shared_rules *r, owner_id owner, const struct unwind_rules *rules,
		      struct rule_numbers_map *ret_map);
/* Nobody reads a row with them any more; frees the map. */
void shared_rules_give(struct shared_rules *r, struct rule_numbers_map *map);

/* Would an owner get so many more now? */
bool shared_rules_have_room(const struct shared_rules *r, owner_id owner, uint32_t nr);
/* Whose tables are to make way for those of `asker`. */
bool shared_rules_greediest(const struct shared_rules *r, owner_id asker, owner_id *ret_owner);
uint32_t shared_rules_nr(const struct shared_rules *r); /* in use, without the fixed ones */

#endif
