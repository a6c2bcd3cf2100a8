/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables in the maps of the sampler: room for rows and pages is given out and taken back
 * here, under a bound.  Rows are written through mappings while programs read other rows; room that
 * was taken back rests for a while before it is used again, since a program may still be reading.
 */
#ifndef EDDY_CAPTURE_UNWIND_MAPS_H
#define EDDY_CAPTURE_UNWIND_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/late_unwind.h"
#include "unwind/unwind_table.h"
#include "unwind_abi.h"
#include "util/diag.h"
#include "util/limit.h"

struct unwind_maps;

struct unwind_maps_fds {
	int slabs, pages, rules, files;
};

/* max_bytes bounds the rows (rounded up to 4 MiB).  The descriptors stay the caller's. */
int unwind_maps_new(const struct unwind_maps_fds *fds, uint64_t max_bytes,
		    struct unwind_maps **ret_maps, struct diag *ret_diag);
void unwind_maps_free(struct unwind_maps *m); /* NULL is fine */

/* The rules, by their numbers in the maps. */
struct eddy_unwind_rules *unwind_maps_rules(struct unwind_maps *m);

/* Programs run for microseconds; a user of a row is not held up for longer than that. */
#define UNWIND_MAPS_REST_SECONDS 2

/*
 * Copies a table in and makes it known under key with number id; table NULL, or larger than the
 * bound: the file is known not to have one.  -ENOSPC: tables that were not used lately were
 * retired, there will be room UNWIND_MAPS_REST_SECONDS later; meanwhile the sampler does not ask
 * for the file again if it did before, and unwind_maps_forget() makes it do so.
 */
int unwind_maps_add(struct unwind_maps *m, const struct eddy_unwind_key *key, uint32_t id,
		    const struct unwind_table *table);
/* Whether a table fits without another one making way. */
bool unwind_maps_have_room(const struct unwind_maps *m, const struct unwind_table *table);
/* After a batch of additions: gives back the memory that writing needed. */
void unwind_maps_settle(struct unwind_maps *m);
/* Forgets a file, so that the next sample asks for it again. */
void unwind_maps_forget(struct unwind_maps *m, const struct eddy_unwind_key *key);

/* Has the sampler looked the file up since this was asked last? */
bool unwind_maps_was_used(struct unwind_maps *m, const struct eddy_unwind_key *key);
/* To be called once a minute or so: tables that had to leave rules out are asked for again. */
void unwind_maps_age(struct unwind_maps *m);

/* Makes the sampler look up anew all that it uses, so that the question above has an answer. */
void unwind_maps_look_again(struct unwind_maps *m);

/* What the sampler would find at an offset of a file. */
void unwind_maps_find(struct unwind_maps *m, const struct eddy_unwind_key *key, uint64_t offset,
		      struct late_place *ret_place);

struct unwind_maps_stats {
	uint64_t nr_tables;
	uint64_t row_bytes;  /* rows in use */
	uint64_t slab_bytes; /* kernel memory for rows */
	uint64_t nr_evicted;
	uint64_t nr_rules; /* different ones, in use */
	struct limit_counts limits;
};
void unwind_maps_get_stats(const struct unwind_maps *m, struct unwind_maps_stats *ret_stats);

#endif
