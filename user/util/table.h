/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hash table: open addressing with linear probing over a power of two of slots, at most 3/4 of
 * them used.  A slot holds an entry, or the number or the address of one; nothing is allocated for
 * an entry.  A macro makes the functions for one kind of slot, so that hash and comparison are
 * inlined.
 *
 * What others choose is to be hashed with util/hash.h: then nobody can make long chains.  The order
 * of the slots differs from process to process; it must not decide anything that is seen.
 *
 * DEFINE_TABLE(NAME, SLOT, KEY, OWNER) defines struct NAME and the functions listed below.  Its
 * user defines these three, anywhere in the file; `o` is what the functions of the table were
 * given, and OWNER may be declared only:
 *
 *	bool NAME_is_used(const SLOT *s);   false for a slot of zeros
 *	uint64_t NAME_hash(const OWNER *o, const SLOT *s);   of its entry
 *	bool NAME_equals(const OWNER *o, const SLOT *s, const KEY *key);   is it the one asked for?
 *
 * A pointer to a slot is valid until an entry is added or removed.
 *
 *	void NAME_init(t, nr);       empty, with room for nr entries; NAME_deinit() releases it
 *	void NAME_deinit(t);         the slots go, what entries own is the caller's; zeros are fine
 *	SLOT *NAME_find(t, o, hash, key);   the slot of the entry, NULL: it is not there
 *	SLOT *NAME_add(t, o, hash); a free slot for an entry that is not there: to be filled at once
 *	SLOT *NAME_get(t, o, hash, key, ret_is_new);   that of the entry, or else as from NAME_add()
 *	SLOT *NAME_put(t, hash);     as NAME_add(), when room was made before
 *	void NAME_reserve(t, o, more);   makes room for so many more entries
 *	void NAME_remove(t, o, s);   takes the entry out; what it owns is the caller's
 *	void NAME_sweep(t, o, drop, ctx); asks for each entry once whether it goes; drop() releases
 *	                             what the entry owns and calls nothing of the table
 *	void NAME_fit(t, o, least);  gives back the room that is not needed, but for so many entries
 *	void NAME_reset(t, nr);      empty again, with room for nr entries
 *	SLOT *NAME_next(t, s);       each entry in turn: from NULL, to NULL
 *	void NAME_prefetch(t, hash); the CPU fetches the place where one with it is looked for
 *	size_t NAME_bytes(t);        memory held
 *
 * DEFINE_ID_TABLE(NAME, KEY, OWNER) is one whose slots are numbers (uint32_t) but 0, of entries in
 * an array of the owner; the user defines NAME_hash and NAME_equals.  It has besides
 *
 *	void NAME_reserve_all(t, o, more);   as NAME_reserve(), where the entries are 1 to t->nr:
 *	                             the old slots go before the new ones come
 *	void NAME_clear(t, o);       empty again, with the room that it has, where the entries are
 *	                             1 to t->nr: costs what those do, however many slots there are
 */
#ifndef EDDY_UTIL_TABLE_H
#define EDDY_UTIL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define TABLE_MIN_SLOTS 16

/* How many entries so many slots take. */
static inline size_t table_room(size_t nr_slots)
{
	return nr_slots / 4 * 3;
}

/* The slots for so many entries; for more than there can be it is a number that no memory has. */
static inline size_t table_nr_slots(size_t nr)
{
	size_t nr_slots = TABLE_MIN_SLOTS;

	while (table_room(nr_slots) < nr && nr_slots <= SIZE_MAX / 2)
		nr_slots *= 2;
	return nr_slots;
}

static inline size_t table_sum(size_t nr, size_t more)
{
	return more > SIZE_MAX - nr ? SIZE_MAX : nr + more;
}

#define TABLE_FN_ static inline __attribute__((unused))

#define DEFINE_TABLE(name, slot_type, key_type, owner)                                             \
	struct name {                                                                              \
		slot_type *slots;                                                                  \
		size_t mask, nr;                                                                   \
	};                                                                                         \
                                                                                                   \
	static inline bool name##_is_used(slot_type const *s);                                     \
	static inline uint64_t name##_hash(const owner *o, slot_type const *s);                    \
	static inline bool name##_equals(const owner *o, slot_type const *s, const key_type *key); \
                                                                                                   \
	TABLE_FN_ void name##_init(struct name *t, size_t nr)                                      \
	{                                                                                          \
		size_t nr_slots = table_nr_slots(nr);                                              \
                                                                                                   \
		t->slots = xcalloc(nr_slots, sizeof(slot_type));                                   \
		t->mask = nr_slots - 1;                                                            \
		t->nr = 0;                                                                         \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ void name##_deinit(struct name *t)                                               \
	{                                                                                          \
		free(t->slots);                                                                    \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ size_t name##_bytes(const struct name *t)                                        \
	{                                                                                          \
		return (t->mask + 1) * sizeof(slot_type);                                          \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ void name##_prefetch(const struct name *t, uint64_t hash)                        \
	{                                                                                          \
		__builtin_prefetch(&t->slots[hash & t->mask], 1);                                  \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ slot_type *name##_find(const struct name *t, const owner *o, uint64_t hash,      \
					 const key_type *key)                                      \
	{                                                                                          \
		size_t i = hash & t->mask;                                                         \
                                                                                                   \
		for (; name##_is_used(&t->slots[i]); i = (i + 1) & t->mask)                        \
			if (name##_equals(o, &t->slots[i], key))                                   \
				return &t->slots[i];                                               \
		return NULL;                                                                       \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ slot_type *name##_put(struct name *t, uint64_t hash)                             \
	{                                                                                          \
		size_t i = hash & t->mask;                                                         \
                                                                                                   \
		while (name##_is_used(&t->slots[i]))                                               \
			i = (i + 1) & t->mask;                                                     \
		t->nr++;                                                                           \
		return &t->slots[i];                                                               \
	}                                                                                          \
                                                                                                   \
	/* Into new slots, as many as nr entries need. */                                          \
	TABLE_FN_ void name##_move(struct name *t, const owner *o, size_t nr)                      \
	{                                                                                          \
		struct name old = *t;                                                              \
                                                                                                   \
		name##_init(t, nr);                                                                \
		for (size_t i = 0; i <= old.mask; i++)                                             \
			if (name##_is_used(&old.slots[i]))                                         \
				*name##_put(t, name##_hash(o, &old.slots[i])) = old.slots[i];      \
		free(old.slots);                                                                   \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ bool name##_has_room(const struct name *t, size_t more)                          \
	{                                                                                          \
		return table_room(t->mask + 1) - t->nr >= more;                                    \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ void name##_reserve(struct name *t, const owner *o, size_t more)                 \
	{                                                                                          \
		if (!name##_has_room(t, more))                                                     \
			name##_move(t, o, table_sum(t->nr, more));                                 \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ slot_type *name##_add(struct name *t, const owner *o, uint64_t hash)             \
	{                                                                                          \
		name##_reserve(t, o, 1);                                                           \
		return name##_put(t, hash);                                                        \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ slot_type *name##_get(struct name *t, const owner *o, uint64_t hash,             \
					const key_type *key, bool *ret_is_new)                     \
	{                                                                                          \
		size_t i;                                                                          \
                                                                                                   \
		name##_reserve(t, o, 1);                                                           \
		*ret_is_new = false;                                                               \
		for (i = hash & t->mask; name##_is_used(&t->slots[i]); i = (i + 1) & t->mask)      \
			if (name##_equals(o, &t->slots[i], key))                                   \
				return &t->slots[i];                                               \
		*ret_is_new = true;                                                                \
		t->nr++;                                                                           \
		return &t->slots[i];                                                               \
	}                                                                                          \
                                                                                                   \
	/* Each entry of the chain that may moves into the gap, and leaves one. */                 \
	TABLE_FN_ void name##_remove(struct name *t, const owner *o, slot_type *s)                 \
	{                                                                                          \
		size_t gap = s - t->slots, i = (gap + 1) & t->mask;                                \
                                                                                                   \
		for (; name##_is_used(&t->slots[i]); i = (i + 1) & t->mask) {                      \
			size_t way = i - name##_hash(o, &t->slots[i]);                             \
                                                                                                   \
			if ((way & t->mask) < ((i - gap) & t->mask))                               \
				continue;                                                          \
			t->slots[gap] = t->slots[i];                                               \
			gap = i;                                                                   \
		}                                                                                  \
		memset(&t->slots[gap], 0, sizeof(slot_type));                                      \
		t->nr--;                                                                           \
	}                                                                                          \
                                                                                                   \
	/* From a free slot round to it, so that no chain is entered in its middle. */             \
	TABLE_FN_ void name##_sweep(struct name *t, const owner *o,                                \
				    bool (*drop)(void *ctx, slot_type *s), void *ctx)              \
	{                                                                                          \
		size_t from = 0, i;                                                                \
                                                                                                   \
		while (name##_is_used(&t->slots[from]))                                            \
			from++;                                                                    \
		for (i = (from + 1) & t->mask; i != from;) {                                       \
			if (name##_is_used(&t->slots[i]) && drop(ctx, &t->slots[i]))               \
				name##_remove(t, o, &t->slots[i]);                                 \
			else                                                                       \
				i = (i + 1) & t->mask;                                             \
		}                                                                                  \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ void name##_fit(struct name *t, const owner *o, size_t least)                    \
	{                                                                                          \
		size_t nr = t->nr < least ? least : t->nr + 1;                                     \
                                                                                                   \
		if (table_nr_slots(nr) <= t->mask)                                                 \
			name##_move(t, o, nr);                                                     \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ void name##_reset(struct name *t, size_t nr)                                     \
	{                                                                                          \
		if (table_nr_slots(nr) == t->mask + 1) {                                           \
			memset(t->slots, 0, name##_bytes(t));                                      \
			t->nr = 0;                                                                 \
			return;                                                                    \
		}                                                                                  \
		free(t->slots);                                                                    \
		name##_init(t, nr);                                                                \
	}                                                                                          \
                                                                                                   \
	TABLE_FN_ slot_type *name##_next(const struct name *t, slot_type const *s)                 \
	{                                                                                          \
		for (size_t i = s ? s - t->slots + 1 : 0; i <= t->mask; i++)                       \
			if (name##_is_used(&t->slots[i]))                                          \
				return &t->slots[i];                                               \
		return NULL;                                                                       \
	}

#define DEFINE_ID_TABLE(name, key_type, owner)                                         \
	TABLE_FN_ bool name##_is_used(const uint32_t *id)                              \
	{                                                                              \
		return *id != 0;                                                       \
	}                                                                              \
                                                                                       \
	DEFINE_TABLE(name, uint32_t, key_type, owner)                                  \
                                                                                       \
	TABLE_FN_ void name##_refill(struct name *t, const owner *o, size_t room)      \
	{                                                                              \
		size_t nr = t->nr;                                                     \
                                                                                       \
		name##_reset(t, room);                                                 \
		for (uint32_t id = 1; id <= nr; id++)                                  \
			*name##_put(t, name##_hash(o, &id)) = id;                      \
	}                                                                              \
                                                                                       \
	TABLE_FN_ void name##_reserve_all(struct name *t, const owner *o, size_t more) \
	{                                                                              \
		if (!name##_has_room(t, more))                                         \
			name##_refill(t, o, table_sum(t->nr, more));                   \
	}                                                                              \
                                                                                       \
	/* An entry stands between its place and a free slot, or went with another. */ \
	TABLE_FN_ void name##_clear(struct name *t, const owner *o)                    \
	{                                                                              \
		for (uint32_t id = 1; id <= t->nr; id++)                               \
			for (size_t i = name##_hash(o, &id) & t->mask; t->slots[i];    \
			     i = (i + 1) & t->mask)                                    \
				t->slots[i] = 0;                                       \
		t->nr = 0;                                                             \
	}

#endif
