// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frame table: two open-addressing tables (strings, frames) over append-only storage.
 *
 * Strings stand in chunks that never move, so that callers may keep pointers; the tables hold ids
 * (4 bytes) and are rebuilt at 3/4 load from the hashes kept with the entries.  In front of both
 * stands a small direct-mapped cache for frames that come as text, which is how files name them.
 */
#include "profile/frame.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"

#define CHUNK_BYTES	(64 * 1024)
#define CACHE_MIN_SLOTS 1024
#define CACHE_MAX_SLOTS (64 * 1024) /* 1 MiB: more would not stay in a CPU's cache */
#define CACHE_MAX_LEN	(1u << 29)  /* fits the key; longer names go the long way */

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

/* A text frame met lately: one look here instead of one in each table. */
struct cached {
	const char *name;    /* the interned one; NULL: empty */
	uint32_t len_origin; /* length of the name << 3 | origin */
	frame_id frame;
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

	struct cached *cache; /* NULL until the first text */
	size_t cache_mask;

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
	free(t->cache);
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

static str_id intern_hashed(struct frame_table *t, const char *bytes, size_t len, uint32_t hash)
{
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

str_id frame_table_intern(struct frame_table *t, const char *bytes, size_t len)
{
	return intern_hashed(t, bytes, len, hash_bytes(bytes, len));
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

/* What the suffix of a text frame says, and how long the name before it is. */
static enum frame_origin text_origin(const char *bytes, size_t *len)
{
	enum frame_origin origin = FRAME_USER;

	if (*len <= 4 || bytes[*len - 1] != ']' || memcmp(bytes + *len - 4, "_[", 2))
		return FRAME_USER;
	switch (bytes[*len - 2]) {
	case 'k':
		origin = FRAME_KERNEL;
		break;
	case 'j':
		origin = FRAME_JIT;
		break;
	case 'i':
		origin = FRAME_INLINED;
		break;
	default:
		return FRAME_USER;
	}
	*len -= 4;
	return origin;
}

/* The cache follows the table's size; it starts empty again when it grows. */
static void cache_fit(struct frame_table *t)
{
	size_t want = CACHE_MIN_SLOTS;

	if (t->cache && (t->cache_mask + 1 == CACHE_MAX_SLOTS || t->cache_mask >= 2 * t->nr_frames))
		return;
	while (want < CACHE_MAX_SLOTS && want <= 2 * t->nr_frames)
		want *= 2;
	free(t->cache);
	t->cache = xcalloc(want, sizeof(*t->cache));
	t->cache_mask = want - 1;
}

frame_id frame_table_add_text(struct frame_table *t, const char *bytes, size_t len)
{
	enum frame_origin origin = text_origin(bytes, &len);
	uint64_t hash = hash_bytes(bytes, len);
	uint32_t key = (uint32_t)len << 3 | origin;
	struct cached *slot;
	struct frame f;

	cache_fit(t);
	slot = &t->cache[(hash ^ origin) & t->cache_mask];
	if (slot->name && slot->len_origin == key && len < CACHE_MAX_LEN &&
	    !memcmp(slot->name, bytes, len))
		return slot->frame;
	f = (struct frame){ .name = intern_hashed(t, bytes, len, hash), .origin = origin };
	slot->frame = frame_table_add(t, &f);
	slot->name = len < CACHE_MAX_LEN ? frame_table_str(t, f.name, NULL) : NULL;
	slot->len_origin = key;
	return slot->frame;
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
	       (t->by_bytes.mask + t->by_identity.mask + 2) * sizeof(uint32_t) +
	       (t->cache ? (t->cache_mask + 1) * sizeof(*t->cache) : 0);
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
