// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing over an array of entries in order of arrival: 24 bytes a stack and 4 to 8 for
 * its slot.  The keys are hashes already, so a slot is the key's low bits.
 */
#include "capture/stack_table.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define MIN_SLOTS 1024

struct stack_table {
	struct stack_entry *entries;
	size_t nr, cap;
	uint32_t *slots; /* index + 1; 0 is empty */
	size_t mask;
};

struct stack_table *stack_table_new(void)
{
	struct stack_table *t = xcalloc(1, sizeof(*t));

	t->mask = MIN_SLOTS - 1;
	t->slots = xcalloc(t->mask + 1, sizeof(*t->slots));
	return t;
}

void stack_table_free(struct stack_table *t)
{
	if (!t)
		return;
	free(t->entries);
	free(t->slots);
	free(t);
}

static size_t slot_of(const struct stack_table *t, const struct eddy_stack_key *key)
{
	size_t i = key->hash[0] & t->mask;

	for (; t->slots[i]; i = (i + 1) & t->mask) {
		const struct stack_entry *e = &t->entries[t->slots[i] - 1];

		if (e->key.hash[0] == key->hash[0] && e->key.hash[1] == key->hash[1])
			break;
	}
	return i;
}

struct stack_entry *stack_table_find(const struct stack_table *t, const struct eddy_stack_key *key)
{
	uint32_t id = t->slots[slot_of(t, key)];

	return id ? &t->entries[id - 1] : NULL;
}

void stack_table_add(struct stack_table *t, const struct eddy_stack_key *key, uint32_t tag)
{
	if (t->nr >= (t->mask + 1) / 4 * 3) {
		t->mask = t->mask * 2 + 1;
		free(t->slots);
		t->slots = xcalloc(t->mask + 1, sizeof(*t->slots));
		for (size_t n = 0; n < t->nr; n++)
			t->slots[slot_of(t, &t->entries[n].key)] = n + 1;
	}
	array_reserve(t->entries, t->cap, t->nr + 1);
	t->entries[t->nr] = (struct stack_entry){ .key = *key, .tag = tag };
	t->slots[slot_of(t, key)] = ++t->nr;
}

void stack_table_clear(struct stack_table *t)
{
	/* Twice what was needed this time is kept for the next. */
	if (t->cap > 2 * t->nr + MIN_SLOTS) {
		free(take_ptr(t->entries));
		t->cap = 0;
	}
	if (t->mask >= MIN_SLOTS && t->mask / 8 > t->nr) {
		free(t->slots);
		t->mask = MIN_SLOTS - 1;
		t->slots = xcalloc(t->mask + 1, sizeof(*t->slots));
	} else {
		memset(t->slots, 0, (t->mask + 1) * sizeof(*t->slots));
	}
	t->nr = 0;
}

size_t stack_table_nr(const struct stack_table *t)
{
	return t->nr;
}

size_t stack_table_bytes(const struct stack_table *t)
{
	return t->cap * sizeof(*t->entries) + (t->mask + 1) * sizeof(*t->slots);
}
