/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Something that there is a bounded amount of, shared by the users whose programs ask for it.
 *
 *	total  = half for the system (root and its users, one account) + half for all others
 *	share of one of n others that have some or ask for some = a half of total / n
 *
 * What nobody else uses the system may have too.  So there may be less left than a user's share: of
 * what others had before he came, or the system beyond its half.  Whoever gives out then takes back
 * from fair_share_greediest() until there is enough; a user within his share is never the one to go
 * without.
 */
#ifndef EDDY_UTIL_FAIR_SHARE_H
#define EDDY_UTIL_FAIR_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/owner.h"

struct fair_share;

struct fair_share *fair_share_new(uint64_t total);
void fair_share_free(struct fair_share *s); /* NULL is fine */

/*
 * Takes an amount for an owner.  -EDQUOT: it would be more than his share, however much is left;
 * -ENOSPC: it is within his share, and others have it.  Nothing is taken then.
 */
int fair_share_take(struct fair_share *s, owner_id owner, uint64_t amount);
/* The same answer, and nothing is taken. */
int fair_share_ask(const struct fair_share *s, owner_id owner, uint64_t amount);
/*
 * Takes it whatever his share is and however much is left: for what is there already, where one
 * asks afterwards who is to give some back.  More may be used then than there is.
 */
void fair_share_charge(struct fair_share *s, owner_id owner, uint64_t amount);
/* Gives back some of what he took. */
void fair_share_give(struct fair_share *s, owner_id owner, uint64_t amount);

/*
 * Who has most beyond the share that is his when `asker` has some too; false: nobody, which cannot
 * be after -ENOSPC.
 */
bool fair_share_greediest(const struct fair_share *s, owner_id asker, owner_id *ret_owner);

uint64_t fair_share_of(const struct fair_share *s, owner_id owner);    /* what he has */
uint64_t fair_share_bound(const struct fair_share *s, owner_id owner); /* his share, now */
uint64_t fair_share_used(const struct fair_share *s);		       /* by all */
uint64_t fair_share_total(const struct fair_share *s);

#endif
