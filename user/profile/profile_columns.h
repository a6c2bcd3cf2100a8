/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a profile is made of, for the files that are one: profile.c, profile_copy.c. */
#ifndef EDDY_PROFILE_PROFILE_COLUMNS_H
#define EDDY_PROFILE_PROFILE_COLUMNS_H

#include "profile/profile.h"
#include "util/hash.h"
#include "util/table.h"

struct child {
	node_id parent;
	frame_id frame;
};

/* All nodes but the root, which is nobody's child. */
DEFINE_ID_TABLE(children, struct child, struct profile)

struct profile {
	struct frame_table *frames;
	node_id *parent;
	frame_id *frame;
	uint64_t *self;
	size_t nr, cap;
	struct children children;
	uint64_t total;
	node_id *followed; /* nr_followed; NULL: none is */
	size_t nr_followed;
};

static inline uint64_t child_hash(node_id parent, frame_id frame)
{
	return hash_u64((uint64_t)parent << 32 | frame);
}

static inline uint64_t children_hash(const struct profile *p, const node_id *n)
{
	return child_hash(p->parent[*n], p->frame[*n]);
}

static inline bool children_equals(const struct profile *p, const node_id *n,
				   const struct child *key)
{
	return p->parent[*n] == key->parent && p->frame[*n] == key->frame;
}

/* Room for more nodes, so that what follows moves nothing. */
void profile_reserve(struct profile *p, size_t more);
/* Adds nodes that are not there yet, each called from the one before. */
void profile_append_chain(struct profile *p, node_id parent, const frame_id *frames, size_t nr);

#endif
