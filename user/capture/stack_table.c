// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table over an array of entries in order of arrival: 24 bytes a stack and 5 to 11 for its
 * slots.  The keys are hashes already.
 */
#include "capture/stack_table.h"

#include <stdlib.h>

#include "util/cleanup.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_STACKS 768

/* Ids are indexes + 1. */
DEFINE_ID_TABLE(stack_ids, struct eddy_stack_key, struct stack_table)

struct stack_table {
	struct stack_entry *entries;
	size_t nr, cap;
	struct stack_ids ids;
};

/* The sampler's hash of the stack has no key, and whose stack it is knows how it is made. */
static uint64_t key_hash(const struct eddy_stack_key *key)
{
	return hash_mix(key->hash[0], key->hash[1]);
}

static uint64_t stack_ids_hash(const struct stack_table *t, const uint32_t *id)
{
	return key_hash(&t->entries[*id - 1].key);
}

static bool stack_ids_equals(const struct stack_table *t, const uint32_t *id,
			     const struct eddy_stack_key *key)
{
	const struct stack_entry *e = &t->entries[*id - 1];

	return e->key.hash[0] == key->hash[0] && e->key.hash[1] == key->hash[1];
}

struct stack_table *stack_table_new(void)
{
	struct stack_table *t = xcalloc(1, sizeof(*t));

	stack_ids_init(&t->ids, FIRST_STACKS);
	return t;
}

void stack_table_free(struct stack_table *t)
{
	if (!t)
		return;
	free(t->entries);
	stack_ids_deinit(&t->ids);
	free(t);
}

struct stack_entry *stack_table_find(const struct stack_table *t, const struct eddy_stack_key *key)
{
	const uint32_t *id = stack_ids_find(&t->ids, t, key_hash(key), key);

	return id ? &t->entries[*id - 1] : NULL;
}

void stack_table_add(struct stack_table *t, const struct eddy_stack_key *key, uint32_t tag)
{
	stack_ids_reserve_all(&t->ids, t, 1);
	array_reserve(t->entries, t->cap, t->nr + 1);
	t->entries[t->nr] = (struct stack_entry){ .key = *key, .tag = tag };
	*stack_ids_put(&t->ids, key_hash(key)) = ++t->nr;
}

void stack_table_clear(struct stack_table *t)
{
	size_t room = table_room(t->ids.mask + 1);

	/* What was needed this time is kept for the next, and some more. */
	if (t->cap > 2 * t->nr + FIRST_STACKS) {
		free(take_ptr(t->entries));
		t->cap = 0;
	}
	stack_ids_reset(&t->ids, room > FIRST_STACKS && room / 6 > t->nr ? FIRST_STACKS : room);
	t->nr = 0;
}

size_t stack_table_nr(const struct stack_table *t)
{
	return t->nr;
}

size_t stack_table_bytes(const struct stack_table *t)
{
	return t->cap * sizeof(*t->entries) + stack_ids_bytes(&t->ids);
}
