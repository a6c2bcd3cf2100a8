// SPDX-License-Identifier: GPL-2.0-or-later
/* A table by a hash of all that is compared: who asks meets no table but an equal one. */
#include "symbol/shared_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_TABLES 192

struct owned_symbols {
	struct elf_symbols *table; /* NULL: an empty slot */
	uint32_t uid;
};

DEFINE_TABLE(owned_table, struct owned_symbols, struct owned_symbols, void)

struct shared_symbols {
	struct owned_table tables; /* those with a build id */
	struct fair_share *bytes;
};

static uint64_t owned_hash(const struct owned_symbols *o)
{
	return hash_mix(elf_symbols_hash(o->table), o->uid);
}

static bool owned_table_is_used(const struct owned_symbols *o)
{
	return o->table != NULL;
}

static uint64_t owned_table_hash(const void *nobody, const struct owned_symbols *o)
{
	return owned_hash(o);
}

static bool has_same_build_id(const struct elf_image *a, const struct elf_image *b)
{
	return a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len);
}

static bool owned_table_equals(const void *nobody, const struct owned_symbols *o,
			       const struct owned_symbols *key)
{
	if (o->uid != key->uid || elf_symbols_hash(o->table) != elf_symbols_hash(key->table))
		return false;
	return o->table == key->table ||
	       (has_same_build_id(elf_symbols_image(o->table), elf_symbols_image(key->table)) &&
		elf_symbols_are_equal(o->table, key->table));
}

struct shared_symbols *shared_symbols_new(uint64_t max_bytes)
{
	struct shared_symbols *s = xcalloc(1, sizeof(*s));

	owned_table_init(&s->tables, FIRST_TABLES);
	s->bytes = fair_share_new(max_bytes);
	return s;
}

void shared_symbols_free(struct shared_symbols *s)
{
	if (!s)
		return;
	owned_table_deinit(&s->tables);
	fair_share_free(s->bytes);
	free(s);
}

struct elf_symbols *shared_symbols_take(struct shared_symbols *s, uint32_t uid,
					struct elf_symbols *table)
{
	const struct owned_symbols key = { table, uid };
	struct owned_symbols *slot;
	bool is_new = true;

	if (elf_symbols_image(table)->build_id_len) {
		slot = owned_table_get(&s->tables, NULL, owned_hash(&key), &key, &is_new);
		if (!is_new) {
			elf_symbols_unref(table);
			return elf_symbols_ref(slot->table);
		}
		*slot = key;
	}
	fair_share_charge(s->bytes, owner_of_uid(uid), elf_symbols_bytes(table));
	return table;
}

void shared_symbols_drop(struct shared_symbols *s, uint32_t uid, struct elf_symbols *table)
{
	const struct owned_symbols key = { table, uid };
	struct owned_symbols *slot;

	if (!elf_symbols_is_shared(table)) {
		slot = owned_table_find(&s->tables, NULL, owned_hash(&key), &key);
		if (slot && slot->table == table)
			owned_table_remove(&s->tables, NULL, slot);
		fair_share_give(s->bytes, owner_of_uid(uid), elf_symbols_bytes(table));
	}
	elf_symbols_unref(table);
}

void shared_symbols_fit(struct shared_symbols *s)
{
	owned_table_fit(&s->tables, NULL, FIRST_TABLES);
}

void shared_symbols_grew(struct shared_symbols *s, uint32_t uid, uint64_t bytes)
{
	fair_share_charge(s->bytes, owner_of_uid(uid), bytes);
}

uint64_t shared_symbols_bytes(const struct shared_symbols *s)
{
	return fair_share_used(s->bytes);
}

const struct fair_share *shared_symbols_share(const struct shared_symbols *s)
{
	return s->bytes;
}
