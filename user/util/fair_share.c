// SPDX-License-Identifier: GPL-2.0-or-later
/* An account for each owner that has something; those that gave all back are gone. */
#include "util/fair_share.h"

#include <errno.h>
#include <stddef.h>

#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_ACCOUNTS 8

struct account {
	uint64_t used; /* > 0 */
	owner_id owner;
};

static bool account_table_is_used(const struct account *a)
{
	return a->used != 0;
}

static uint64_t account_table_hash(const void *nobody, const struct account *a)
{
	return hash_u64(a->owner);
}

static bool account_table_equals(const void *nobody, const struct account *a, const owner_id *owner)
{
	return a->owner == *owner;
}

DEFINE_TABLE(account_table, struct account, owner_id, void)

struct fair_share {
	uint64_t total, used;
	struct account_table accounts;
};

struct fair_share *fair_share_new(uint64_t total)
{
	struct fair_share *s = xcalloc(1, sizeof(*s));

	s->total = total;
	account_table_init(&s->accounts, FIRST_ACCOUNTS);
	return s;
}

void fair_share_free(struct fair_share *s)
{
	if (!s)
		return;
	account_table_deinit(&s->accounts);
	free(s);
}

static struct account *account_of(const struct fair_share *s, owner_id owner)
{
	return account_table_find(&s->accounts, NULL, hash_u64(owner), &owner);
}

uint64_t fair_share_of(const struct fair_share *s, owner_id owner)
{
	const struct account *a = account_of(s, owner);

	return a ? a->used : 0;
}

uint64_t fair_share_used(const struct fair_share *s)
{
	return s->used;
}

uint64_t fair_share_total(const struct fair_share *s)
{
	return s->total;
}

/* What is kept for all users but the system. */
static uint64_t half(const struct fair_share *s)
{
	return s->total / 2;
}

/* The share of an owner when that one has some too who asks. */
static uint64_t bound_beside(const struct fair_share *s, owner_id owner, owner_id asker)
{
	uint64_t others = s->accounts.nr;

	if (owner == OWNER_SYSTEM)
		return s->total - half(s);
	others -= account_of(s, OWNER_SYSTEM) != NULL;
	others += asker != OWNER_SYSTEM && !account_of(s, asker);
	return half(s) / others;
}

uint64_t fair_share_bound(const struct fair_share *s, owner_id owner)
{
	return bound_beside(s, owner, owner);
}

int fair_share_ask(const struct fair_share *s, owner_id owner, uint64_t amount)
{
	uint64_t left = s->used < s->total ? s->total - s->used : 0;
	uint64_t have = fair_share_of(s, owner), bound = fair_share_bound(s, owner);
	bool is_within = have <= bound && amount <= bound - have;

	if (!is_within && (owner != OWNER_SYSTEM || amount > left))
		return -EDQUOT;
	return amount > left ? -ENOSPC : 0;
}

void fair_share_charge(struct fair_share *s, owner_id owner, uint64_t amount)
{
	struct account *a = account_of(s, owner);

	if (!amount)
		return;
	if (!a) {
		a = account_table_add(&s->accounts, NULL, hash_u64(owner));
		*a = (struct account){ .owner = owner };
	}
	a->used += amount;
	s->used += amount;
}

int fair_share_take(struct fair_share *s, owner_id owner, uint64_t amount)
{
	int r = fair_share_ask(s, owner, amount);

	if (r >= 0)
		fair_share_charge(s, owner, amount);
	return r;
}

void fair_share_give(struct fair_share *s, owner_id owner, uint64_t amount)
{
	struct account *a = account_of(s, owner);

	if (!a || !amount)
		return;
	if (amount > a->used)
		amount = a->used;
	s->used -= amount;
	if (amount == a->used)
		account_table_remove(&s->accounts, NULL, a);
	else
		a->used -= amount;
}

bool fair_share_greediest(const struct fair_share *s, owner_id asker, owner_id *ret_owner)
{
	uint64_t most = 0;

	for (const struct account *a = account_table_next(&s->accounts, NULL); a;
	     a = account_table_next(&s->accounts, a)) {
		uint64_t bound = bound_beside(s, a->owner, asker);

		if (a->used <= bound || a->used - bound <= most)
			continue;
		most = a->used - bound;
		*ret_owner = a->owner;
	}
	return most != 0;
}
