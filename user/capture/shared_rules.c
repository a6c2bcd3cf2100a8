// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules are found by their bytes; how many tables use one is counted. */
#include "capture/shared_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/rule_numbers.h"
#include "util/mem.h"

#define NR_FIXED    4 /* UNWIND_RULE_NONE and the others that every dictionary has */
#define FIRST_RULES 3072

/* A number in use. */
struct use {
	uint32_t nr; /* tables */
	owner_id owner;
};

struct shared_rules {
	struct eddy_unwind_rule *rule;
	struct rule_numbers numbers;
	struct use *uses; /* by number */
	uint16_t *returned;
	size_t cap_uses, nr_returned, cap_returned;
	uint32_t nr_rules; /* numbers that were ever given */
	struct fair_share *share;
};

struct shared_rules *shared_rules_new(struct eddy_unwind_rules *memory)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *fixed = unwind_rules_new();
	struct shared_rules *r = xcalloc(1, sizeof(*r));

	r->rule = memory->rule;
	rule_numbers_init(&r->numbers, FIRST_RULES);
	array_reserve(r->uses, r->cap_uses, FIRST_RULES);
	for (uint32_t i = 0; i < NR_FIXED; i++)
		r->rule[i] = *unwind_rules_get(fixed, i);
	r->nr_rules = NR_FIXED;
	r->share = fair_share_new(EDDY_UNWIND_MAX_RULES - NR_FIXED);
	return r;
}

void shared_rules_free(struct shared_rules *r)
{
	if (!r)
		return;
	rule_numbers_deinit(&r->numbers);
	fair_share_free(r->share);
	free(r->uses);
	free(r->returned);
	free(r);
}

/* A number for a rule that has none. */
static uint16_t rule_add(struct shared_rules *r, owner_id owner,
			 const struct eddy_unwind_rule *rule)
{
	uint32_t nr = r->nr_returned ? r->returned[--r->nr_returned] : r->nr_rules++;

	array_reserve(r->uses, r->cap_uses, (size_t)nr + 1);
	r->rule[nr] = *rule;
	r->uses[nr] = (struct use){ .owner = owner };
	*rule_numbers_add(&r->numbers, r->rule, unwind_rule_hash(rule)) = (uint16_t)nr;
	return (uint16_t)nr;
}

static void rule_release(struct shared_rules *r, uint16_t nr)
{
	struct use *use = &r->uses[nr];
	uint16_t *slot;

	if (nr < NR_FIXED || --use->nr)
		return;
	slot = rule_numbers_find(&r->numbers, r->rule, unwind_rule_hash(&r->rule[nr]),
				 &r->rule[nr]);
	rule_numbers_remove(&r->numbers, r->rule, slot);
	fair_share_give(r->share, use->owner, 1);
	array_reserve(r->returned, r->cap_returned, r->nr_returned + 1);
	r->returned[r->nr_returned++] = nr;
}

void shared_rules_give(struct shared_rules *r, struct rule_numbers_map *map)
{
	for (uint32_t i = NR_FIXED; i < map->nr; i++)
		rule_release(r, map->number[i]);
	free(map->number);
	*map = (struct rule_numbers_map){ 0 };
}

int shared_rules_take(struct shared_rules *r, owner_id owner, const struct unwind_rules *rules,
		      struct rule_numbers_map *ret_map)
{
	struct rule_numbers_map map = { .nr = NR_FIXED };
	uint32_t nr = unwind_rules_count(rules);

	map.number = xcalloc(nr, sizeof(*map.number));
	for (uint16_t i = 0; i < NR_FIXED; i++)
		map.number[i] = i;
	for (; map.nr < nr; map.nr++) {
		const struct eddy_unwind_rule *rule = unwind_rules_get(rules, map.nr);
		const uint16_t *known =
			rule_numbers_find(&r->numbers, r->rule, unwind_rule_hash(rule), rule);
		int err = known ? 0 : fair_share_take(r->share, owner, 1);

		if (err == -ENOSPC) {
			shared_rules_give(r, &map);
			return err;
		}
		map.nr_refused += err != 0;
		map.number[map.nr] = err     ? UNWIND_RULE_UNSUP
				     : known ? *known
					     : rule_add(r, owner, rule);
		r->uses[map.number[map.nr]].nr++;
	}
	*ret_map = map;
	return 0;
}

bool shared_rules_have_room(const struct shared_rules *r, owner_id owner, uint32_t nr)
{
	return fair_share_ask(r->share, owner, nr) != -EDQUOT;
}

bool shared_rules_greediest(const struct shared_rules *r, owner_id asker, owner_id *ret_owner)
{
	return fair_share_greediest(r->share, asker, ret_owner);
}

uint32_t shared_rules_nr(const struct shared_rules *r)
{
	return (uint32_t)fair_share_used(r->share);
}
