// SPDX-License-Identifier: GPL-2.0-or-later
/* A sorted array: people fold few rows. */
#include "live/live_folds.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

/* Where the key is, or would be. */
static size_t find(const struct live_folds *f, uint64_t key)
{
	size_t from = 0, to = f->nr;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (f->keys[middle] < key)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool is_other(const struct live_folds *f, uint64_t key)
{
	size_t at = find(f, key);

	return at < f->nr && f->keys[at] == key;
}

bool live_folds_has(const struct live_folds *f, uint64_t key)
{
	return f && is_other(f, key) != f->folds_all;
}

bool live_folds_set(struct live_folds *f, uint64_t key, bool is_folded)
{
	size_t at = find(f, key);

	if (live_folds_has(f, key) == is_folded)
		return false;
	if (at < f->nr && f->keys[at] == key) {
		f->nr--;
		memmove(f->keys + at, f->keys + at + 1, (f->nr - at) * sizeof(*f->keys));
		return true;
	}
	if (f->nr == LIVE_MAX_FOLDS)
		return false;
	array_reserve(f->keys, f->cap, f->nr + 1);
	memmove(f->keys + at + 1, f->keys + at, (f->nr - at) * sizeof(*f->keys));
	f->keys[at] = key;
	f->nr++;
	return true;
}

void live_folds_set_all(struct live_folds *f, bool are_folded)
{
	f->nr = 0;
	f->folds_all = are_folded;
}

void live_folds_deinit(struct live_folds *f)
{
	free(f->keys);
	*f = (struct live_folds){ 0 };
}
