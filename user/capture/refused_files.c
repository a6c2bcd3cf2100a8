// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A short list that is looked through: it is needed when a file could not be opened, and each rests
 * after that.  Those that have rested stay in it, so that the next rest is longer, until another
 * needs the place.
 */
#include "capture/refused_files.h"

#include <stdlib.h>

#include "capture/file_key.h"
#include "util/mem.h"

#define MAX_FILES   256
#define SECOND_NS   1000000000ull
#define MAX_DOUBLED 5
#define CHANCES	    4 /* a library that another takes turns with is there again in no time */
#define FORGIVEN_NS (600 * SECOND_NS)

struct refused {
	struct eddy_unwind_key key;
	uint64_t since_ns;
	uint64_t until_ns; /* 0: it does not rest */
	unsigned int nr_rests, nr_chances;
};

struct refused_files {
	refused_file_fn again;
	void *ctx;
	struct refused items[MAX_FILES];
	size_t nr, nr_resting;
	uint64_t next_ns; /* none has rested before */
};

struct refused_files *refused_files_new(refused_file_fn again, void *ctx)
{
	struct refused_files *r = xcalloc(1, sizeof(*r));

	r->again = again;
	r->ctx = ctx;
	return r;
}

void refused_files_free(struct refused_files *r)
{
	free(r);
}

static struct refused *find(struct refused_files *r, const struct eddy_unwind_key *key)
{
	for (size_t i = 0; i < r->nr; i++)
		if (file_key_equals(&r->items[i].key, key))
			return &r->items[i];
	return NULL;
}

static void wake(struct refused_files *r, struct refused *item)
{
	if (!item->until_ns)
		return;
	item->until_ns = 0;
	r->nr_resting--;
	r->again(r->ctx, &item->key);
}

/* A place for another file: that of the one that was refused the longest time ago, if need be. */
static struct refused *place(struct refused_files *r)
{
	struct refused *oldest = &r->items[0];

	if (r->nr < MAX_FILES)
		return &r->items[r->nr++];
	for (size_t i = 1; i < r->nr; i++)
		if (r->items[i].since_ns < oldest->since_ns)
			oldest = &r->items[i];
	wake(r, oldest);
	return oldest;
}

bool refused_files_add(struct refused_files *r, const struct eddy_unwind_key *key, bool is_chance,
		       uint64_t now_ns)
{
	struct refused *item = find(r, key);

	if (!item || (!item->until_ns && now_ns - item->since_ns > FORGIVEN_NS)) {
		if (!item)
			item = place(r);
		*item = (struct refused){ .key = *key };
	}
	item->since_ns = now_ns;
	if (is_chance && item->nr_chances < CHANCES) {
		item->nr_chances++;
		return item->until_ns;
	}
	r->nr_resting += !item->until_ns;
	item->until_ns = now_ns + (SECOND_NS << item->nr_rests);
	if (item->nr_rests < MAX_DOUBLED)
		item->nr_rests++;
	if (r->nr_resting == 1 || item->until_ns < r->next_ns)
		r->next_ns = item->until_ns;
	return true;
}

void refused_files_remove(struct refused_files *r, const struct eddy_unwind_key *key)
{
	struct refused *item = find(r, key);

	if (!item)
		return;
	r->nr_resting -= item->until_ns != 0;
	*item = r->items[--r->nr];
}

size_t refused_files_poll(struct refused_files *r, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;
	size_t nr = 0;

	if (!r->nr_resting || now_ns < r->next_ns)
		return 0;
	for (size_t i = 0; i < r->nr; i++) {
		struct refused *item = &r->items[i];

		if (!item->until_ns)
			continue;
		if (item->until_ns <= now_ns) {
			wake(r, item);
			nr++;
		} else if (item->until_ns < next_ns) {
			next_ns = item->until_ns;
		}
	}
	r->next_ns = next_ns;
	return nr;
}
