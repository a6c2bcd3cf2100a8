/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks of one interval: nodes of a profile that many intervals share, each with a weight. */
#ifndef EDDY_LIVE_LIVE_TALLIES_H
#define EDDY_LIVE_LIVE_TALLIES_H

#include "profile/profile.h"

struct tally {
	node_id node;
	uint64_t weight;
};

struct tallies {
	struct tally *items;
	size_t nr;
};

void tallies_deinit(struct tallies *t); /* zero-filled is fine */
/* Puts the nodes of stacks into a profile; their weights are noted and not added. */
void tallies_take(struct tallies *t, struct profile *into, const struct profile *stacks);
/* Adds all weights, each so many times; -EOVERFLOW, and none is. */
int tallies_add(const struct tallies *t, struct profile *to, uint32_t factor);
void tallies_subtract(const struct tallies *t, struct profile *from, uint32_t factor);
/* Adds the later of two lists to the earlier; -EOVERFLOW: they stay apart. */
int tallies_join(struct tallies *a, struct tallies *b);

#endif
