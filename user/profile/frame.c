// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frame table: two open-addressing tables (strings, frames) over append-only storage.
 *
 * Strings stand in chunks that never move, so that callers may keep pointers; the tables hold ids
 * (4 bytes) and are rebuilt at 3/4 load from the hashes kept with the entries.
 */
#include "profile/frame.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"

#define CHUNK_BYTES (64 * 1024)

struct string {
	const char *bytes;
	uint32_t len;
	uint32_t hash;
};

struct chunk {
	struct chunk *next;
	char bytes[];
};

/* Open addressing over ids; 0 is an empty slot, which is why id 0 is never looked up in it. */
struct index {
	uint32_t *slots;
	size_t mask;
};

struct frame_table {
	unsigned int refs;

	struct string *strings;
	size_t nr_strings, cap_strings;
	struct index by_bytes;

	struct frame *frames;
	uint32_t *frame_hash;
	size_t nr_frames, cap_frames, cap_hash;
	struct index by_identity;

	struct chunk *chunks;
	size_t chunk_free, chunk_bytes;
};

static void index_init(struct index *ix, size_t nr_slots)
{
	ix->slots = xcalloc(nr_slots, sizeof(*ix->slots));
	ix->mask = nr_slots - 1;
}

static bool index_is_full(const struct index *ix, size_t nr)
{
	return nr >= (ix->mask + 1) / 4 * 3;
}

static void index_put(struct index *ix, uint32_t hash, uint32_t id)
{
	size_t i = hash & ix->mask;

	while (ix->slots[i])
		i = (i + 1) & ix->mask;
	ix->slots[i] = id;
}

struct frame_table *frame_table_new(void)
{
	struct frame_table *t = xcalloc(1, sizeof(*t));

	t->refs = 1;
	index_init(&t->by_bytes, 1024);
	index_init(&t->by_identity, 1024);
	array_reserve(t->strings, t->cap_strings, 1);
	t->strings[t->nr_strings++] = (struct string){ .bytes = "" };
	array_reserve(t->frames, t->cap_frames, 1);
	array_reserve(t->frame_hash, t->cap_hash, 1);
	t->frame_hash[0] = 0;
	t->frames[t->nr_frames++] = (struct frame){ .origin = FRAME_BASE };
	return t;
}

struct frame_table *frame_table_ref(struct frame_table *t)
{
	t->refs++;
	return t;
}

void frame_table_unref(struct frame_table *t)
{
	if (!t || --t->refs)
		return;
	while (t->chunks) {
		struct chunk *next = t->chunks->next;

		free(t->chunks);
		t->chunks = next;
	}
	free(t->strings);
	free(t->by_bytes.slots);
	free(t->frames);
	free(t->frame_hash);
	free(t->by_identity.slots);
	free(t);
}

static const char *store_bytes(struct frame_table *t, const char *bytes, size_t len)
{
	char *to;

	if (!t->chunks || t->chunk_free < len + 1) {
		size_t size = len + 1 > CHUNK_BYTES ? len + 1 : CHUNK_BYTES;
		struct chunk *c = xmalloc(sizeof(*c) + size);

		c->next = t->chunks;
		t->chunks = c;
		t->chunk_free = size;
		t->chunk_bytes += size;
		/* Filled from the end, so that chunk_free is all there is to know. */
	}
	t->chunk_free -= len + 1;
	to = t->chunks->bytes + t->chunk_free;
	memcpy(to, bytes, len);
	to[len] = '\0';
	return to;
}

static void strings_rehash(struct frame_table *t)
{
	size_t nr_slots = (t->by_bytes.mask + 1) * 2;

	free(t->by_bytes.slots);
	index_init(&t->by_bytes, nr_slots);
	for (size_t id = 1; id < t->nr_strings; id++)
		index_put(&t->by_bytes, t->strings[id].hash, id);
}

str_id frame_table_intern(struct frame_table *t, const char *bytes, size_t len)
{
	uint32_t hash = hash_bytes(bytes, len);
	size_t i;

	if (!len)
		return 0;
	for (i = hash & t->by_bytes.mask; t->by_bytes.slots[i]; i = (i + 1) & t->by_bytes.mask) {
		const struct string *s = &t->strings[t->by_bytes.slots[i]];

		if (s->hash == hash && s->len == len && !memcmp(s->bytes, bytes, len))
			return t->by_bytes.slots[i];
	}
	if (index_is_full(&t->by_bytes, t->nr_strings))
		strings_rehash(t);
	array_reserve(t->strings, t->cap_strings, t->nr_strings + 1);
	t->strings[t->nr_strings] = (struct string){ store_bytes(t, bytes, len), len, hash };
	index_put(&t->by_bytes, hash, t->nr_strings);
	return t->nr_strings++;
}

str_id frame_table_intern0(struct frame_table *t, const char *s)
{
	return frame_table_intern(t, s, strlen(s));
}

const char *frame_table_str(const struct frame_table *t, str_id id, size_t *ret_len)
{
	if (ret_len)
		*ret_len = t->strings[id].len;
	return t->strings[id].bytes;
}

static bool frame_same(const struct frame *a, const struct frame *b)
{
	return a->name == b->name && a->module == b->module && a->start == b->start &&
	       a->origin == b->origin;
}

static void frames_rehash(struct frame_table *t)
{
	size_t nr_slots = (t->by_identity.mask + 1) * 2;

	free(t->by_identity.slots);
	index_init(&t->by_identity, nr_slots);
	for (size_t id = 1; id < t->nr_frames; id++)
		index_put(&t->by_identity, t->frame_hash[id], id);
}

frame_id frame_table_add(struct frame_table *t, const struct frame *f)
{
	uint32_t hash = hash_mix(f->start ^ f->origin, (uint64_t)f->module << 32 | f->name);
	struct index *ix = &t->by_identity;

	for (size_t i = hash & ix->mask; ix->slots[i]; i = (i + 1) & ix->mask)
		if (t->frame_hash[ix->slots[i]] == hash && frame_same(&t->frames[ix->slots[i]], f))
			return ix->slots[i];
	if (index_is_full(ix, t->nr_frames))
		frames_rehash(t);
	array_reserve(t->frames, t->cap_frames, t->nr_frames + 1);
	array_reserve(t->frame_hash, t->cap_hash, t->nr_frames + 1);
	t->frames[t->nr_frames] = *f;
	t->frame_hash[t->nr_frames] = hash;
	index_put(ix, hash, t->nr_frames);
	return t->nr_frames++;
}

frame_id frame_table_add_text(struct frame_table *t, const char *bytes, size_t len)
{
	struct frame f = { .origin = FRAME_USER };

	if (len > 4 && !memcmp(bytes + len - 4, "_[", 2) && bytes[len - 1] == ']') {
		switch (bytes[len - 2]) {
		case 'k':
			f.origin = FRAME_KERNEL;
			break;
		case 'j':
			f.origin = FRAME_JIT;
			break;
		case 'i':
			f.origin = FRAME_INLINED;
			break;
		}
		if (f.origin != FRAME_USER)
			len -= 4;
	}
	f.name = frame_table_intern(t, bytes, len);
	return frame_table_add(t, &f);
}

frame_id frame_table_add_base(struct frame_table *t, const char *s)
{
	return frame_table_add(
		t, &(struct frame){ .name = frame_table_intern0(t, s), .origin = FRAME_BASE });
}

const struct frame *frame_table_get(const struct frame_table *t, frame_id id)
{
	return &t->frames[id];
}

const char *frame_table_name(const struct frame_table *t, frame_id id, size_t *ret_len)
{
	return frame_table_str(t, t->frames[id].name, ret_len);
}

size_t frame_table_nr(const struct frame_table *t)
{
	return t->nr_frames;
}

size_t frame_table_bytes(const struct frame_table *t)
{
	return t->chunk_bytes + t->cap_strings * sizeof(*t->strings) +
	       t->cap_frames * (sizeof(*t->frames) + sizeof(*t->frame_hash)) +
	       (t->by_bytes.mask + t->by_identity.mask + 2) * sizeof(uint32_t);
}

const char *frame_origin_suffix(enum frame_origin origin)
{
	switch (origin) {
	case FRAME_KERNEL:
		return "_[k]";
	case FRAME_JIT:
		return "_[j]";
	case FRAME_INLINED:
		return "_[i]";
	case FRAME_USER:
	case FRAME_BASE:
		break;
	}
	return "";
}
