// SPDX-License-Identifier: GPL-2.0-or-later
/* A fair share that begins anew when its minute is over. */
#include "symbol/minute_share.h"

#include <stddef.h>

#include "util/fair_share.h"

void minute_share_deinit(struct minute_share *s)
{
	fair_share_free(s->minute);
	*s = (struct minute_share){ 0 };
}

uint64_t minute_share_bound(struct minute_share *s, owner_id owner, uint64_t most, uint64_t total,
			    uint64_t now_ms)
{
	uint64_t share, had;

	if (!s->minute || now_ms - s->began_ms >= MINUTE_MS) {
		fair_share_free(s->minute);
		s->minute = fair_share_new(total);
		s->began_ms = now_ms;
	}
	share = fair_share_bound(s->minute, owner);
	had = fair_share_of(s->minute, owner);
	if (share <= had)
		return 0;
	return share - had < most ? share - had : most;
}

void minute_share_note(struct minute_share *s, owner_id owner, uint64_t amount)
{
	uint64_t share, had;

	if (!s->minute)
		return;
	share = fair_share_bound(s->minute, owner);
	had = fair_share_of(s->minute, owner);
	/* What was more than he may use is his whole share. */
	if (share > had)
		fair_share_take(s->minute, owner, amount < share - had ? amount : share - had);
}
