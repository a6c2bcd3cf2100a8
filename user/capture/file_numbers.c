// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three hash tables: files by all that tells them apart, inodes with the file that each is now, and
 * numbers.  An inode may have been any number of files: none of them is looked at for another.
 * Forgetting is done in rounds over all files; numbers rest from one round to the next, and then to
 * the end of the window.
 */
#include "capture/file_numbers.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/file_key.h"
#include "sampler_abi.h"
#include "util/fair_share.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_FILES  384
#define ROUND_S	     60
#define IDLE_S	     300
#define MANY	     8192  /* half of what the sampler's map holds */
#define MANY_ROUND_S 5	   /* and those not used since the last round go */
#define MAX_OWNED    12288 /* shared by owners; the rest of the map is for those on their way */

struct item {
	struct eddy_unwind_key key;
	uint32_t number; /* 0: empty slot */
	uint64_t used_s;
	uint64_t since; /* file_numbers_moment() when it came */
	owner_id owner;
	bool is_owned; /* charged to that one */
};

static bool item_table_is_used(const struct item *item)
{
	return item->number != 0;
}

static uint64_t item_table_hash(const void *nobody, const struct item *item)
{
	return file_key_hash(&item->key);
}

static bool item_table_equals(const void *nobody, const struct item *item,
			      const struct eddy_unwind_key *key)
{
	return file_key_equals(&item->key, key);
}

DEFINE_TABLE(item_table, struct item, struct eddy_unwind_key, void)

/*
 * Of an inode: its file that came or was met last, with a number or without.  Those of other
 * generations are gone; those of other addresses are not.
 */
struct inode {
	struct eddy_unwind_key last;
	uint32_t nr;	  /* items; 0: empty slot */
	uint64_t since;	  /* of the last that came */
	bool is_outdated; /* the last was forgotten, and another one may stand for the inode */
};

static uint64_t inode_hash(const struct eddy_unwind_key *key)
{
	return hash_mix(key->ino, key->dev);
}

static bool inode_table_is_used(const struct inode *inode)
{
	return inode->nr != 0;
}

static uint64_t inode_table_hash(const void *nobody, const struct inode *inode)
{
	return inode_hash(&inode->last);
}

static bool inode_table_equals(const void *nobody, const struct inode *inode,
			       const struct eddy_unwind_key *key)
{
	return file_key_has_inode(&inode->last, key);
}

DEFINE_TABLE(inode_table, struct inode, struct eddy_unwind_key, void)

struct named {
	uint32_t number; /* 0: empty slot */
	struct eddy_unwind_key key;
};

static bool named_table_is_used(const struct named *named)
{
	return named->number != 0;
}

static uint64_t named_table_hash(const void *nobody, const struct named *named)
{
	return hash_u64(named->number);
}

static bool named_table_equals(const void *nobody, const struct named *named,
			       const uint32_t *number)
{
	return named->number == *number;
}

DEFINE_TABLE(named_table, struct named, uint32_t, void)

struct numbers {
	uint32_t *items;
	size_t nr, cap;
};

struct file_numbers {
	struct item_table items;
	struct inode_table inodes;
	struct named_table named;
	uint32_t last;		  /* highest number ever given */
	struct numbers resting;	  /* of files forgotten in the last round */
	struct numbers released;  /* in this window */
	struct numbers available; /* to be given again */
	uint64_t nr_refused;
	uint64_t round_s; /* when the last one was */
	uint64_t moment;
	struct fair_share *share; /* of files with a number */
};

struct file_numbers *file_numbers_new(void)
{
	struct file_numbers *n = xcalloc(1, sizeof(*n));

	item_table_init(&n->items, FIRST_FILES);
	inode_table_init(&n->inodes, FIRST_FILES);
	named_table_init(&n->named, FIRST_FILES);
	n->share = fair_share_new(MAX_OWNED);
	return n;
}

void file_numbers_free(struct file_numbers *n)
{
	if (!n)
		return;
	item_table_deinit(&n->items);
	inode_table_deinit(&n->inodes);
	named_table_deinit(&n->named);
	fair_share_free(n->share);
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

/* NULL: the file has no number. */
static struct item *item_of(const struct file_numbers *n, const struct eddy_unwind_key *key)
{
	return item_table_find(&n->items, NULL, file_key_hash(key), key);
}

/* NULL: the inode has no file with a number. */
static struct inode *inode_of(const struct file_numbers *n, const struct eddy_unwind_key *key)
{
	return inode_table_find(&n->inodes, NULL, inode_hash(key), key);
}

/* 0: none is left. */
static uint32_t new_number(struct file_numbers *n)
{
	if (n->available.nr)
		return n->available.items[--n->available.nr];
	if (n->last < EDDY_FRAME_FILE_MASK)
		return ++n->last;
	n->nr_refused++;
	return 0;
}

static void name_add(struct file_numbers *n, uint32_t number, const struct eddy_unwind_key *key)
{
	*named_table_add(&n->named, NULL, hash_u64(number)) = (struct named){ number, *key };
}

/* The number rests from now on: it is nobody's. */
static void name_remove(struct file_numbers *n, uint32_t number)
{
	named_table_remove(&n->named, NULL,
			   named_table_find(&n->named, NULL, hash_u64(number), &number));
	put(&n->resting, number);
}

static void inode_add(struct file_numbers *n, const struct eddy_unwind_key *key, uint64_t since)
{
	bool is_new;
	struct inode *inode = inode_table_get(&n->inodes, NULL, inode_hash(key), key, &is_new);

	if (is_new)
		*inode = (struct inode){ 0 };
	inode->last = *key;
	inode->since = since;
	inode->is_outdated = false;
	inode->nr++;
}

static void inode_remove(struct file_numbers *n, const struct eddy_unwind_key *key)
{
	struct inode *inode = inode_of(n, key);

	if (!--inode->nr)
		inode_table_remove(&n->inodes, NULL, inode);
	else if (key->inode && file_key_equals(&inode->last, key))
		inode->is_outdated = true;
}

uint32_t file_numbers_get(struct file_numbers *n, const struct eddy_unwind_key *key, uint64_t now_s,
			  bool *ret_is_new)
{
	const struct item *item = item_of(n, key);
	uint32_t number;

	*ret_is_new = !item;
	if (item)
		return item->number;
	number = new_number(n);
	if (!number)
		return 0;
	*item_table_add(&n->items, NULL, file_key_hash(key)) = (struct item){
		.key = *key, .used_s = now_s, .since = ++n->moment, .number = number
	};
	inode_add(n, key, n->moment);
	name_add(n, number, key);
	return number;
}

void file_numbers_renew(struct file_numbers *n, const struct eddy_unwind_key *key)
{
	struct item *item = item_of(n, key);
	uint32_t number = item ? new_number(n) : 0;

	if (!number)
		return;
	name_remove(n, item->number);
	item->number = number;
	name_add(n, number, key);
}

uint32_t file_numbers_number(const struct file_numbers *n, const struct eddy_unwind_key *key)
{
	const struct item *item = item_of(n, key);

	return item ? item->number : 0;
}

bool file_numbers_has(const struct file_numbers *n, const struct eddy_unwind_key *key,
		      uint32_t number)
{
	return number && file_numbers_number(n, key) == number;
}

const struct eddy_unwind_key *file_numbers_key(const struct file_numbers *n, uint32_t number)
{
	const struct named *named = named_table_find(&n->named, NULL, hash_u64(number), &number);

	return named ? &named->key : NULL;
}

const struct eddy_unwind_key *file_numbers_find(const struct file_numbers *n,
						const struct eddy_unwind_key *key, uint64_t moment)
{
	const struct inode *inode = inode_of(n, key);
	const struct item *item = inode ? item_of(n, &inode->last) : NULL;

	return item && item->since <= moment ? &item->key : NULL;
}

uint64_t file_numbers_moment(const struct file_numbers *n)
{
	return n->moment;
}

void file_numbers_meet(struct file_numbers *n, const struct eddy_unwind_key *key)
{
	struct inode *inode = key->inode ? NULL : inode_of(n, key);

	if (inode)
		inode->last = *key;
}

size_t file_numbers_nr(const struct file_numbers *n)
{
	return n->items.nr;
}

uint64_t file_numbers_nr_refused(const struct file_numbers *n)
{
	return n->nr_refused;
}

bool file_numbers_is_due(const struct file_numbers *n, uint64_t now_s)
{
	return now_s - n->round_s >= (n->items.nr > MANY ? MANY_ROUND_S : ROUND_S);
}

/* One round over the files. */
struct round {
	struct file_numbers *n;
	const struct file_numbers_ops *ops;
	uint64_t now_s, idle_s;
};

/* What it has besides its slot goes. */
static void item_forget(struct file_numbers *n, const struct item *item,
			const struct file_numbers_ops *ops)
{
	ops->forget(ops->ctx, &item->key);
	if (item->is_owned)
		fair_share_give(n->share, item->owner, 1);
	name_remove(n, item->number);
	inode_remove(n, &item->key);
}

/* Whether the file is forgotten. */
static bool item_age(void *ctx, struct item *item)
{
	const struct round *round = ctx;

	if (!item->key.ino)
		return false;
	if (round->ops->was_used(round->ops->ctx, &item->key)) {
		item->used_s = round->now_s;
		return false;
	}
	if (round->now_s - item->used_s < round->idle_s)
		return false;
	item_forget(round->n, item, round->ops);
	return true;
}

/* Where the last file of an inode was forgotten, the last of those that are left stands for it. */
static void update_inodes(struct file_numbers *n)
{
	for (struct item *item = NULL; (item = item_table_next(&n->items, item));) {
		struct inode *inode = inode_of(n, &item->key);

		if (!inode->is_outdated)
			continue;
		/* The first that is met takes the place of one that is gone. */
		if (item_of(n, &inode->last) && item->since < inode->since)
			continue;
		inode->last = item->key;
		inode->since = item->since;
	}
	for (struct inode *inode = NULL; (inode = inode_table_next(&n->inodes, inode));)
		inode->is_outdated = false;
}

void file_numbers_age(struct file_numbers *n, uint64_t now_s, const struct file_numbers_ops *ops)
{
	struct round round = { n, ops, now_s, n->items.nr > MANY ? MANY_ROUND_S : IDLE_S };

	n->round_s = now_s;
	for (; n->resting.nr; n->resting.nr--) {
		uint32_t number = n->resting.items[n->resting.nr - 1];

		ops->release(ops->ctx, number);
		put(&n->released, number);
	}
	item_table_sweep(&n->items, NULL, item_age, &round);
	update_inodes(n);
	item_table_fit(&n->items, NULL, FIRST_FILES);
	inode_table_fit(&n->inodes, NULL, FIRST_FILES);
	named_table_fit(&n->named, NULL, FIRST_FILES);
}

/* The files of an owner that came before a moment. */
struct relief {
	struct file_numbers *n;
	const struct file_numbers_ops *ops;
	owner_id owner;
	uint64_t before;
	size_t nr;
};

static bool item_relieve(void *ctx, struct item *item)
{
	struct relief *r = ctx;

	if (!item->is_owned || item->owner != r->owner || item->since > r->before || !item->key.ino)
		return false;
	item_forget(r->n, item, r->ops);
	r->nr++;
	return true;
}

/* About half of an owner's files make way, the first that came; so this is seldom. */
static size_t owner_relieve(struct file_numbers *n, owner_id owner,
			    const struct file_numbers_ops *ops)
{
	struct relief relief = { .n = n, .ops = ops, .owner = owner };
	uint64_t sum = 0, nr = fair_share_of(n->share, owner);

	for (const struct item *i = NULL; (i = item_table_next(&n->items, i));)
		if (i->is_owned && i->owner == owner)
			sum += i->since;
	if (!nr)
		return 0;
	relief.before = sum / nr;
	item_table_sweep(&n->items, NULL, item_relieve, &relief);
	update_inodes(n);
	return relief.nr;
}

size_t file_numbers_own(struct file_numbers *n, const struct eddy_unwind_key *key, owner_id owner,
			const struct file_numbers_ops *ops)
{
	struct item *item = item_of(n, key);
	owner_id from = owner;
	size_t nr = 0, went;
	int r;

	if (!item || item->is_owned)
		return 0;
	while ((r = fair_share_take(n->share, owner, 1)) < 0) {
		from = owner;
		if (r == -ENOSPC)
			fair_share_greediest(n->share, owner, &from);
		went = owner_relieve(n, from, ops);
		if (!went)
			return nr;
		nr += went;
	}
	item = item_of(n, key);
	item->owner = owner;
	item->is_owned = true;
	return nr;
}

void file_numbers_end_window(struct file_numbers *n)
{
	for (; n->released.nr; n->released.nr--)
		put(&n->available, n->released.items[n->released.nr - 1]);
}
