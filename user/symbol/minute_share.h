/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of something may be used up in a minute.  Those who own the files choose how many there
 * are and what reading one of them costs: so each owner has a share.  What was not used of a minute
 * is not left for the next.
 */
#ifndef EDDY_SYMBOL_MINUTE_SHARE_H
#define EDDY_SYMBOL_MINUTE_SHARE_H

#include <stdint.h>

#include "util/owner.h"

#define MINUTE_MS 60000

struct minute_share {
	struct fair_share *minute; /* NULL before the first */
	uint64_t began_ms;
};

void minute_share_deinit(struct minute_share *s);
/* How much an owner may use next, at most `most`; total: of all in a minute. */
uint64_t minute_share_bound(struct minute_share *s, owner_id owner, uint64_t most, uint64_t total,
			    uint64_t now_ms);
/* So much he did. */
void minute_share_note(struct minute_share *s, owner_id owner, uint64_t amount);

#endif
