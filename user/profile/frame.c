// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frame table: two hash tables of ids (strings, frames) over append-only storage.
 *
 * Strings stand in chunks that never move, so that callers may keep pointers; the tables are
 * rebuilt from the hashes kept with the entries.  In front of both stands a small direct-mapped
 * cache for frames that come as text, which is how files name them.
 */
#include "profile/frame.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_IDS	768
#define CHUNK_BYTES	(64 * 1024)
#define CACHE_MIN_SLOTS 1024
#define CACHE_MAX_SLOTS (64 * 1024) /* 1 MiB: more would not stay in a CPU's cache */
#define MAX_LINE_DIGITS 10
#define CACHE_MAX_LEN	(1u << 29) /* fits the key; longer names go the long way */

struct string {
	const char *bytes;
	uint32_t len;
	uint32_t hash;
};

struct chunk {
	struct chunk *next;
	char bytes[];
};

/* A string that is looked for. */
struct string_key {
	const char *bytes;
	size_t len;
	uint32_t hash;
};

DEFINE_ID_TABLE(string_ids, struct string_key, struct frame_table)

/* A frame that is looked for. */
struct frame_key {
	const struct frame *frame;
	uint32_t hash;
};

DEFINE_ID_TABLE(frame_ids, struct frame_key, struct frame_table)
DEFINE_ID_TABLE(place_ids, struct frame_place, struct frame_table)

/*
 * A text frame met lately: one look here instead of one in each table.  Not one of util/table.h: a
 * new one displaces the one that stands in its place.
 */
struct cached {
	const char *name;    /* the interned one; NULL: empty */
	uint32_t len_origin; /* length of the name << 3 | origin */
	frame_id frame;
};

struct frame_table {
	unsigned int refs;

	struct string *strings;
	size_t nr_strings, cap_strings;
	struct string_ids by_bytes;

	struct frame *frames;
	uint32_t *frame_hash;
	size_t nr_frames, cap_frames, cap_hash;
	struct frame_ids by_identity;

	struct frame_place *places; /* 0 is none; NULL until the first one */
	size_t nr_places, cap_places;
	struct place_ids by_place;

	struct cached *cache; /* NULL until the first text */
	size_t cache_mask;

	struct chunk *chunks;
	size_t chunk_free, chunk_bytes;
};

static uint64_t string_ids_hash(const struct frame_table *t, const str_id *id)
{
	return t->strings[*id].hash;
}

static bool string_ids_equals(const struct frame_table *t, const str_id *id,
			      const struct string_key *key)
{
	const struct string *s = &t->strings[*id];

	return s->hash == key->hash && s->len == key->len && !memcmp(s->bytes, key->bytes, s->len);
}

static uint64_t frame_ids_hash(const struct frame_table *t, const frame_id *id)
{
	return t->frame_hash[*id];
}

static bool frame_ids_equals(const struct frame_table *t, const frame_id *id,
			     const struct frame_key *key)
{
	const struct frame *a = &t->frames[*id], *b = key->frame;

	return t->frame_hash[*id] == key->hash && a->name == b->name && a->module == b->module &&
	       a->start == b->start && a->origin == b->origin && a->line == b->line &&
	       a->file == b->file && a->place == b->place;
}

static uint64_t place_hash(const struct frame_place *p)
{
	return hash_mix(p->address, (uint64_t)p->function << 32 | p->build_id);
}

static uint64_t place_ids_hash(const struct frame_table *t, const uint32_t *id)
{
	return place_hash(&t->places[*id]);
}

static bool place_ids_equals(const struct frame_table *t, const uint32_t *id,
			     const struct frame_place *key)
{
	const struct frame_place *p = &t->places[*id];

	return p->function == key->function && p->address == key->address && p->base == key->base &&
	       p->path == key->path && p->build_id == key->build_id;
}

struct frame_table *frame_table_new(void)
{
	struct frame_table *t = xcalloc(1, sizeof(*t));

	t->refs = 1;
	string_ids_init(&t->by_bytes, FIRST_IDS);
	frame_ids_init(&t->by_identity, FIRST_IDS);
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
	string_ids_deinit(&t->by_bytes);
	free(t->frames);
	free(t->frame_hash);
	frame_ids_deinit(&t->by_identity);
	free(t->places);
	place_ids_deinit(&t->by_place);
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

static str_id intern_hashed(struct frame_table *t, const char *bytes, size_t len, uint32_t hash)
{
	const struct string_key key = { bytes, len, hash };
	const str_id *id;

	if (!len)
		return 0;
	id = string_ids_find(&t->by_bytes, t, hash, &key);
	if (id)
		return *id;
	string_ids_reserve_all(&t->by_bytes, t, 1);
	array_reserve(t->strings, t->cap_strings, t->nr_strings + 1);
	t->strings[t->nr_strings] = (struct string){ store_bytes(t, bytes, len), len, hash };
	*string_ids_put(&t->by_bytes, hash) = t->nr_strings;
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

static uint32_t frame_hash(const struct frame *f)
{
	uint64_t hash = hash_mix(f->start ^ f->origin, (uint64_t)f->module << 32 | f->name);

	if (f->place)
		hash = hash_mix(hash, f->place);
	return f->line | f->file ? hash_mix(hash, (uint64_t)f->line << 32 | f->file) : hash;
}

frame_id frame_table_add(struct frame_table *t, const struct frame *f)
{
	uint32_t hash = frame_hash(f);
	const struct frame_key key = { f, hash };
	const frame_id *id = frame_ids_find(&t->by_identity, t, hash, &key);

	if (id)
		return *id;
	frame_ids_reserve_all(&t->by_identity, t, 1);
	array_reserve(t->frames, t->cap_frames, t->nr_frames + 1);
	array_reserve(t->frame_hash, t->cap_hash, t->nr_frames + 1);
	t->frames[t->nr_frames] = *f;
	t->frame_hash[t->nr_frames] = hash;
	*frame_ids_put(&t->by_identity, hash) = t->nr_frames;
	return t->nr_frames++;
}

static uint32_t place_get(struct frame_table *t, const struct frame_place *place)
{
	const uint64_t hash = place_hash(place);
	const uint32_t *id;

	if (!t->places) {
		place_ids_init(&t->by_place, FIRST_IDS);
		t->places = xcalloc(FIRST_IDS, sizeof(*t->places));
		t->cap_places = FIRST_IDS;
		t->nr_places = 1;
	}
	id = place_ids_find(&t->by_place, t, hash, place);
	if (id)
		return *id;
	place_ids_reserve_all(&t->by_place, t, 1);
	array_reserve(t->places, t->cap_places, t->nr_places + 1);
	t->places[t->nr_places] = *place;
	*place_ids_put(&t->by_place, hash) = t->nr_places;
	return t->nr_places++;
}

frame_id frame_table_add_place(struct frame_table *t, const struct frame_place *place)
{
	struct frame f = *frame_table_get(t, place->function);

	f.place = place_get(t, place);
	return frame_table_add(t, &f);
}

const struct frame_place *frame_table_place(const struct frame_table *t, frame_id id)
{
	const uint32_t place = frame_table_get(t, id)->place;

	return place ? &t->places[place] : NULL;
}

bool frame_table_has_places(const struct frame_table *t)
{
	return t->nr_places > 0;
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

/* A line that was written for one: what follows is its value. */
static uint32_t text_line(const char *digits, size_t len)
{
	uint64_t line = 0;

	if (!len || len > MAX_LINE_DIGITS || *digits == '0')
		return 0;
	for (size_t i = 0; i < len; i++)
		line = line * 10 + (digits[i] - '0');
	return line <= UINT32_MAX ? line : 0;
}

/* Takes "NAME at FILE:LINE" apart; false: it is a name, whatever it is. */
static bool text_place(struct frame_table *t, const char *bytes, size_t *len, struct frame *f)
{
	const size_t at_len = strlen(FRAME_AT);
	size_t colon = *len;
	const char *at, *file;

	while (colon && bytes[colon - 1] >= '0' && bytes[colon - 1] <= '9')
		colon--;
	if (colon == *len || !colon || bytes[--colon] != ':')
		return false;
	f->line = text_line(bytes + colon + 1, *len - colon - 1);
	at = f->line ? memmem(bytes, colon, FRAME_AT, at_len) : NULL;
	file = at ? at + at_len : NULL;
	if (!at || at == bytes || file == bytes + colon) {
		f->line = 0;
		return false;
	}
	f->file = frame_table_intern(t, file, bytes + colon - file);
	*len = at - bytes;
	return true;
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
	struct frame f = { .origin = origin };
	uint64_t hash = hash_bytes(bytes, len);
	uint32_t key = (uint32_t)len << 3 | origin;
	size_t name_len = len;
	struct cached *slot;
	str_id whole;

	cache_fit(t);
	slot = &t->cache[(hash ^ origin) & t->cache_mask];
	if (slot->name && slot->len_origin == key && len < CACHE_MAX_LEN &&
	    !memcmp(slot->name, bytes, len))
		return slot->frame;
	whole = intern_hashed(t, bytes, len, hash);
	f.name = text_place(t, bytes, &name_len, &f) ? frame_table_intern(t, bytes, name_len)
						     : whole;
	slot->frame = frame_table_add(t, &f);
	slot->name = len < CACHE_MAX_LEN ? frame_table_str(t, whole, NULL) : NULL;
	slot->len_origin = key;
	return slot->frame;
}

frame_id frame_table_without_line(struct frame_table *t, frame_id id)
{
	struct frame f = t->frames[id];

	if (!frame_has_line(&f))
		return id;
	f.file = 0;
	f.line = 0;
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
	const struct frame *f = &t->frames[id];

	/* A name that came later came to the function. */
	if (f->place)
		f = &t->frames[t->places[f->place].function];
	return frame_table_str(t, frame_shown(f), ret_len);
}

void frame_table_show(struct frame_table *t, frame_id id, str_id shown)
{
	t->frames[id].shown = shown;
}

size_t frame_table_nr(const struct frame_table *t)
{
	return t->nr_frames;
}

size_t frame_table_bytes(const struct frame_table *t)
{
	return t->chunk_bytes + t->cap_strings * sizeof(*t->strings) +
	       t->cap_frames * (sizeof(*t->frames) + sizeof(*t->frame_hash)) +
	       string_ids_bytes(&t->by_bytes) + frame_ids_bytes(&t->by_identity) +
	       (t->places ? t->cap_places * sizeof(*t->places) + place_ids_bytes(&t->by_place)
			  : 0) +
	       (t->cache ? (t->cache_mask + 1) * sizeof(*t->cache) : 0);
}
