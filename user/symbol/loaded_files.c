// SPDX-License-Identifier: GPL-2.0-or-later
/* An order of files for each owner who has some. */
#include "symbol/loaded_files.h"

#include <stdlib.h>

#include "symbol/file_order.h"
#include "symbol/mapped_file.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_OWNERS 8

struct loaded_owner {
	struct file_order orders[NR_FILE_ORDERS]; /* FILES_LOADED alone; empty: a free slot */
	owner_id owner;
};

DEFINE_TABLE(owner_table, struct loaded_owner, owner_id, void)

struct loaded_files {
	struct owner_table owners;
};

static bool owner_table_is_used(const struct loaded_owner *o)
{
	return o->orders[FILES_LOADED].first != NULL;
}

static uint64_t owner_table_hash(const void *nobody, const struct loaded_owner *o)
{
	return hash_u64(o->owner);
}

static bool owner_table_equals(const void *nobody, const struct loaded_owner *o,
			       const owner_id *owner)
{
	return o->owner == *owner;
}

struct loaded_files *loaded_files_new(void)
{
	struct loaded_files *l = xcalloc(1, sizeof(*l));

	owner_table_init(&l->owners, FIRST_OWNERS);
	return l;
}

void loaded_files_free(struct loaded_files *l)
{
	if (!l)
		return;
	owner_table_deinit(&l->owners);
	free(l);
}

void loaded_files_put(struct loaded_files *l, struct mapped_file *f)
{
	owner_id owner = owner_of_uid(f->uid);
	bool is_new;
	struct loaded_owner *o =
		owner_table_get(&l->owners, NULL, hash_u64(owner), &owner, &is_new);

	if (is_new)
		*o = (struct loaded_owner){ .owner = owner };
	file_order_put(o->orders, FILES_LOADED, f);
}

void loaded_files_remove(struct loaded_files *l, struct mapped_file *f)
{
	owner_id owner = owner_of_uid(f->uid);
	struct loaded_owner *o;

	if (!f->links[FILES_LOADED].is_in)
		return;
	o = owner_table_find(&l->owners, NULL, hash_u64(owner), &owner);
	if (o->orders[FILES_LOADED].first != o->orders[FILES_LOADED].last) {
		file_order_remove(o->orders, FILES_LOADED, f);
		return;
	}
	owner_table_remove(&l->owners, NULL, o);
	f->links[FILES_LOADED] = (struct file_link){ 0 };
}

struct mapped_file *loaded_files_next_to_go(const struct loaded_files *l,
					    const struct fair_share *bytes,
					    const struct mapped_file *except)
{
	struct mapped_file *next = NULL;
	uint64_t most = 0;

	if (fair_share_used(bytes) <= fair_share_total(bytes))
		return NULL;
	for (const struct loaded_owner *o = NULL; (o = owner_table_next(&l->owners, o));) {
		uint64_t has = fair_share_of(bytes, o->owner);
		uint64_t bound = fair_share_bound(bytes, o->owner);
		struct mapped_file *first = file_order_first(o->orders, FILES_LOADED, except);

		if (!first || has <= bound || has - bound <= most)
			continue;
		most = has - bound;
		next = first;
	}
	return next;
}
