// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing by device and inode.  Forgetting is done in rounds over all files, so the table
 * is built anew then and needs no deletion; numbers rest from one round to the next, and then to
 * the end of the window.
 */
#include "capture/file_numbers.h"

#include <stdlib.h>

#include "capture/file_key.h"
#include "sampler_abi.h"
#include "util/hash.h"
#include "util/mem.h"

#define MIN_SLOTS    512
#define ROUND_S	     60
#define IDLE_S	     300
#define MANY	     8192 /* half of what the sampler's map holds */
#define MANY_ROUND_S 5	  /* and those not used since the last round go */

struct item {
	struct eddy_unwind_key key;
	uint32_t number; /* 0: empty slot */
	uint64_t used_s;
};

struct numbers {
	uint32_t *items;
	size_t nr, cap;
};

struct file_numbers {
	struct item *items;
	size_t mask, nr;
	uint32_t last;		  /* highest number ever given */
	struct numbers resting;	  /* of files forgotten in the last round */
	struct numbers released;  /* in this window */
	struct numbers available; /* to be given again */
	uint64_t round_s;	  /* when the last one was */
};

struct file_numbers *file_numbers_new(void)
{
	struct file_numbers *n = xcalloc(1, sizeof(*n));

	n->mask = MIN_SLOTS - 1;
	n->items = xcalloc(n->mask + 1, sizeof(*n->items));
	return n;
}

void file_numbers_free(struct file_numbers *n)
{
	if (!n)
		return;
	free(n->items);
	free(n->resting.items);
	free(n->released.items);
	free(n->available.items);
	free(n);
}

static void put(struct numbers *s, uint32_t number)
{
	array_reserve(s->items, s->cap, s->nr + 1);
	s->items[s->nr++] = number;
}

static size_t first_slot(const struct file_numbers *n, const struct eddy_unwind_key *key)
{
	return hash_mix(key->ino, key->dev) & n->mask;
}

static struct item *slot_of(const struct file_numbers *n, const struct eddy_unwind_key *key)
{
	size_t i = first_slot(n, key);

	for (; n->items[i].number; i = (i + 1) & n->mask)
		if (file_key_equals(&n->items[i].key, key))
			break;
	return &n->items[i];
}

/* Into a table of so many slots, all that have a number. */
static void rebuild(struct file_numbers *n, size_t nr_slots)
{
	struct item *old = n->items;
	size_t nr_old = n->mask + 1;

	n->mask = nr_slots - 1;
	n->items = xcalloc(nr_slots, sizeof(*n->items));
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].number)
			*slot_of(n, &old[i].key) = old[i];
	free(old);
}

/* 0: none is left. */
static uint32_t new_number(struct file_numbers *n)
{
	if (n->available.nr)
		return n->available.items[--n->available.nr];
	return n->last < EDDY_FRAME_FILE_MASK ? ++n->last : 0;
}

uint32_t file_numbers_get(struct file_numbers *n, const struct eddy_unwind_key *key, uint64_t now_s,
			  bool *ret_is_new)
{
	struct item *item = slot_of(n, key);

	*ret_is_new = !item->number;
	if (item->number)
		return item->number;
	if (n->nr >= (n->mask + 1) / 2) {
		rebuild(n, (n->mask + 1) * 2);
		item = slot_of(n, key);
	}
	*item = (struct item){ .key = *key, .used_s = now_s, .number = new_number(n) };
	n->nr += item->number != 0;
	return item->number;
}

void file_numbers_renew(struct file_numbers *n, const struct eddy_unwind_key *key)
{
	struct item *item = slot_of(n, key);
	uint32_t number = item->number ? new_number(n) : 0;

	if (!number)
		return;
	put(&n->resting, item->number);
	item->number = number;
}

bool file_numbers_has(const struct file_numbers *n, const struct eddy_unwind_key *key,
		      uint32_t number)
{
	return number && slot_of(n, key)->number == number;
}

const struct eddy_unwind_key *file_numbers_find(const struct file_numbers *n,
						const struct eddy_unwind_key *key)
{
	for (size_t i = first_slot(n, key); n->items[i].number; i = (i + 1) & n->mask)
		if (file_key_has_inode(&n->items[i].key, key))
			return &n->items[i].key;
	return NULL;
}

size_t file_numbers_nr(const struct file_numbers *n)
{
	return n->nr;
}

bool file_numbers_is_due(const struct file_numbers *n, uint64_t now_s)
{
	return now_s - n->round_s >= (n->nr > MANY ? MANY_ROUND_S : ROUND_S);
}

void file_numbers_age(struct file_numbers *n, uint64_t now_s, const struct file_numbers_ops *ops)
{
	uint64_t idle_s = n->nr > MANY ? MANY_ROUND_S : IDLE_S;
	size_t nr_slots = MIN_SLOTS;

	n->round_s = now_s;
	for (; n->resting.nr; n->resting.nr--) {
		uint32_t number = n->resting.items[n->resting.nr - 1];

		ops->release(ops->ctx, number);
		put(&n->released, number);
	}
	for (size_t i = 0; i <= n->mask; i++) {
		struct item *item = &n->items[i];

		if (!item->number || !item->key.ino)
			continue;
		if (ops->was_used(ops->ctx, &item->key)) {
			item->used_s = now_s;
		} else if (now_s - item->used_s >= idle_s) {
			ops->forget(ops->ctx, &item->key);
			put(&n->resting, item->number);
			item->number = 0;
			n->nr--;
		}
	}
	if (!n->resting.nr)
		return;
	while (nr_slots / 2 <= n->nr)
		nr_slots *= 2;
	rebuild(n, nr_slots);
}

void file_numbers_end_window(struct file_numbers *n)
{
	for (; n->released.nr; n->released.nr--)
		put(&n->available, n->released.items[n->released.nr - 1]);
}
