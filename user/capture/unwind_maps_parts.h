/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the maps are made of, for the files that are one: unwind_maps.c, unwind_maps_find.c. */
#ifndef EDDY_CAPTURE_UNWIND_MAPS_PARTS_H
#define EDDY_CAPTURE_UNWIND_MAPS_PARTS_H

#include "capture/file_key.h"
#include "capture/shared_rules.h"
#include "capture/unwind_maps.h"
#include "capture/unwind_room.h"
#include "util/fair_share.h"
#include "util/table.h"

struct table {
	struct eddy_unwind_key key;
	struct unwind_place place;
	uint64_t used_in; /* round of eviction in which it was last seen used; UINT64_MAX: pinned */
	owner_id owner;
	struct rule_numbers_map rules;
};

/* Tables by file: their places in the array, + 1. */
DEFINE_ID_TABLE(table_places, struct eddy_unwind_key, struct unwind_maps)

/* Room of a table that was forgotten, until nobody can be reading it. */
struct resting {
	struct table table;
	uint64_t since_ns; /* CLOCK_MONOTONIC: whoever sets the other one must not end the rest */
};

struct unwind_maps {
	struct unwind_maps_fds fds;
	struct eddy_unwind_rules *rules;
	struct shared_rules *shared;
	struct fair_share *share; /* of rows */
	struct limit_counts limits;
	struct unwind_room room;
	struct table *tables;
	size_t nr_tables, cap_tables;
	struct table_places places;
	struct resting *resting;
	size_t nr_resting, cap_resting;
	uint64_t eviction_round, nr_evicted, nr_rows;
	uint64_t noted_ns; /* when it was asked last which tables were used */
};

static inline uint64_t table_places_hash(const struct unwind_maps *m, const uint32_t *place)
{
	return file_key_hash(&m->tables[*place - 1].key);
}

static inline bool table_places_equals(const struct unwind_maps *m, const uint32_t *place,
				       const struct eddy_unwind_key *key)
{
	return file_key_equals(&m->tables[*place - 1].key, key);
}

#endif
