// SPDX-License-Identifier: GPL-2.0-or-later
/* Open addressing by what is shown; built anew when some are forgotten, so that none is deleted. */
#include "capture/file_aliases.h"

#include <stdint.h>
#include <stdlib.h>

#include "util/hash.h"
#include "util/mem.h"

#define MIN_SLOTS 16

struct alias {
	uint64_t ino;
	uint32_t dev;
	bool is_used;
	struct eddy_unwind_key key;
};

struct file_aliases {
	struct alias *items;
	size_t mask, nr;
};

struct file_aliases *file_aliases_new(void)
{
	struct file_aliases *a = xcalloc(1, sizeof(*a));

	a->mask = MIN_SLOTS - 1;
	a->items = xcalloc(MIN_SLOTS, sizeof(*a->items));
	return a;
}

void file_aliases_free(struct file_aliases *a)
{
	if (!a)
		return;
	free(a->items);
	free(a);
}

static bool is_same_key(const struct eddy_unwind_key *a, const struct eddy_unwind_key *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->gen == b->gen;
}

/* Puts it into the first free slot of its chain, unless it is there. */
static void put(struct file_aliases *a, const struct alias *alias)
{
	size_t i = hash_mix(alias->ino, alias->dev) & a->mask;

	for (; a->items[i].is_used; i = (i + 1) & a->mask)
		if (a->items[i].ino == alias->ino && a->items[i].dev == alias->dev &&
		    is_same_key(&a->items[i].key, &alias->key))
			return;
	a->items[i] = *alias;
	a->nr++;
}

/* Into a table of so many slots, all that are known (is_known NULL: all). */
static void rebuild(struct file_aliases *a, size_t nr_slots,
		    bool (*is_known)(void *ctx, const struct eddy_unwind_key *key), void *ctx)
{
	struct alias *old = a->items;
	size_t nr_old = a->mask + 1;

	a->mask = nr_slots - 1;
	a->nr = 0;
	a->items = xcalloc(nr_slots, sizeof(*a->items));
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].is_used && (!is_known || is_known(ctx, &old[i].key)))
			put(a, &old[i]);
	free(old);
}

void file_aliases_add(struct file_aliases *a, const struct eddy_unwind_key *shown,
		      const struct eddy_unwind_key *key)
{
	const struct alias alias = {
		.ino = shown->ino, .dev = shown->dev, .is_used = true, .key = *key
	};

	if (a->nr >= (a->mask + 1) / 2)
		rebuild(a, (a->mask + 1) * 2, NULL, NULL);
	put(a, &alias);
}

const struct eddy_unwind_key *file_aliases_find(const struct file_aliases *a,
						const struct eddy_unwind_key *shown)
{
	const struct eddy_unwind_key *found = NULL;

	for (size_t i = hash_mix(shown->ino, shown->dev) & a->mask; a->items[i].is_used;
	     i = (i + 1) & a->mask) {
		if (a->items[i].ino != shown->ino || a->items[i].dev != shown->dev)
			continue;
		if (found)
			return NULL;
		found = &a->items[i].key;
	}
	return found;
}

void file_aliases_age(struct file_aliases *a,
		      bool (*is_known)(void *ctx, const struct eddy_unwind_key *key), void *ctx)
{
	size_t nr_known = 0, nr_slots = MIN_SLOTS;

	for (size_t i = 0; i <= a->mask; i++)
		nr_known += a->items[i].is_used && is_known(ctx, &a->items[i].key);
	if (nr_known == a->nr)
		return;
	while (nr_slots / 2 <= nr_known)
		nr_slots *= 2;
	rebuild(a, nr_slots, is_known, ctx);
}

size_t file_aliases_nr(const struct file_aliases *a)
{
	return a->nr;
}
