// SPDX-License-Identifier: GPL-2.0-or-later
/* Open addressing by what is shown; built anew when some are forgotten, so that none is deleted. */
#include "capture/file_aliases.h"

#include <stdlib.h>

#include "capture/file_key.h"
#include "util/hash.h"
#include "util/mem.h"

#define MIN_SLOTS 16

struct alias {
	struct eddy_unwind_key shown; /* without generation */
	struct eddy_unwind_key key;
	bool is_used;
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

static size_t first_slot(const struct file_aliases *a, const struct eddy_unwind_key *shown)
{
	return hash_mix(shown->ino, shown->dev) & a->mask;
}

/* Puts it into the first free slot of its chain, unless it is there. */
static void put(struct file_aliases *a, const struct alias *alias)
{
	size_t i = first_slot(a, &alias->shown);

	for (; a->items[i].is_used; i = (i + 1) & a->mask)
		if (file_key_has_inode(&a->items[i].shown, &alias->shown) &&
		    file_key_equals(&a->items[i].key, &alias->key))
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
	const struct alias alias = { .shown = *shown, .key = *key, .is_used = true };

	if (a->nr >= (a->mask + 1) / 2)
		rebuild(a, (a->mask + 1) * 2, NULL, NULL);
	put(a, &alias);
}

const struct eddy_unwind_key *file_aliases_find(const struct file_aliases *a,
						const struct eddy_unwind_key *shown)
{
	const struct eddy_unwind_key *found = NULL;

	for (size_t i = first_slot(a, shown); a->items[i].is_used; i = (i + 1) & a->mask) {
		if (!file_key_has_inode(&a->items[i].shown, shown))
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
