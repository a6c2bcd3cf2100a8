// SPDX-License-Identifier: GPL-2.0-or-later
/* head | places: how many frames each has | frames | strings; the head says how many. */
#include "symbol/source_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/mem.h"

#define MAGIC		  0x65737263
#define MAX_STRINGS_BYTES (64u << 20)

/* ---- building it -------------------------------------------------------------------------- */

/* A function at an address; entry 0 is none. */
struct entry {
	uint32_t outer; /* the entry that it is inlined into */
	uint32_t scope;
	struct source_frame frame;
};

struct chain {
	uint32_t last, nr;
};

struct source_builder {
	struct chain *chains;
	size_t nr;
	struct entry *entries;
	size_t nr_entries, cap;
	struct strbuf strings;
	uint32_t nr_nameless, nr_split;
};

struct source_builder *source_builder_new(size_t nr_addresses)
{
	struct source_builder *b = xcalloc(1, sizeof(*b));

	b->chains = xcalloc(nr_addresses, sizeof(*b->chains));
	b->nr = nr_addresses;
	array_reserve(b->entries, b->cap, 1);
	b->entries[b->nr_entries++] = (struct entry){ 0 };
	b->strings = (struct strbuf)STRBUF_INIT;
	strbuf_addch(&b->strings, '\0');
	return b;
}

void source_builder_free(struct source_builder *b)
{
	if (!b)
		return;
	free(b->chains);
	free(b->entries);
	strbuf_deinit(&b->strings);
	free(b);
}

uint32_t source_builder_string(struct source_builder *b, const char *bytes, size_t len)
{
	uint32_t at = b->strings.len;

	len = strnlen(bytes, len < SOURCE_NAME_BYTES ? len : SOURCE_NAME_BYTES);
	if (!len || at + len + 1 > MAX_STRINGS_BYTES)
		return 0;
	strbuf_add(&b->strings, bytes, len);
	strbuf_addch(&b->strings, '\0');
	return at;
}

const char *source_builder_get(const struct source_builder *b, uint32_t at)
{
	return b->strings.bytes + at;
}

bool source_builder_is_in(const struct source_builder *b, size_t address, uint32_t scope)
{
	return b->entries[b->chains[address].last].scope == scope;
}

bool source_builder_enter(struct source_builder *b, size_t address, uint32_t scope,
			  uint32_t outer_scope, uint32_t name)
{
	struct chain *c = &b->chains[address];

	if (!source_builder_is_in(b, address, outer_scope) || c->nr == SOURCE_MAX_DEPTH ||
	    b->nr_entries > SOURCE_MAX_FRAMES)
		return false;
	array_reserve(b->entries, b->cap, b->nr_entries + 1);
	b->entries[b->nr_entries] = (struct entry){ c->last, scope, { .name = name } };
	c->last = b->nr_entries++;
	c->nr++;
	return true;
}

void source_builder_at(struct source_builder *b, size_t address, uint32_t file, uint32_t line)
{
	struct source_frame *f = &b->entries[b->chains[address].last].frame;

	if (!b->chains[address].nr || f->line || f->file)
		return;
	f->file = file;
	f->line = line;
}

bool source_builder_has(const struct source_builder *b, size_t address)
{
	return b->chains[address].nr > 0;
}

void source_builder_nameless(struct source_builder *b)
{
	b->nr_nameless++;
}

void source_builder_split(struct source_builder *b)
{
	b->nr_split++;
}

/* ---- as bytes ----------------------------------------------------------------------------- */

struct packed_head {
	uint32_t magic, nr, nr_frames, strings_len, nr_nameless, nr_split;
};

static void frames_pack(const struct source_builder *b, const struct chain *c, struct strbuf *to)
{
	size_t begin = to->len;
	uint32_t at = c->last;

	strbuf_reserve(to, c->nr * sizeof(struct source_frame));
	for (uint32_t i = 0; i < c->nr; i++)
		strbuf_add(to, &(struct source_frame){ 0 }, sizeof(struct source_frame));
	for (uint32_t i = c->nr; i-- > 0; at = b->entries[at].outer)
		memcpy(to->bytes + begin + i * sizeof(struct source_frame), &b->entries[at].frame,
		       sizeof(struct source_frame));
}

void source_builder_pack(const struct source_builder *b, struct strbuf *to)
{
	const struct packed_head head = {
		.magic = MAGIC,
		.nr = b->nr,
		.nr_frames = b->nr_entries - 1,
		.strings_len = b->strings.len,
		.nr_nameless = b->nr_nameless,
		.nr_split = b->nr_split,
	};

	strbuf_add(to, &head, sizeof(head));
	for (size_t i = 0; i < b->nr; i++)
		strbuf_add(to, &b->chains[i].nr, sizeof(b->chains[i].nr));
	for (size_t i = 0; i < b->nr; i++)
		frames_pack(b, &b->chains[i], to);
	strbuf_add(to, b->strings.bytes, b->strings.len);
}

void source_builder_give(const struct source_builder *b, struct worker_answer *answer)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;

	source_builder_pack(b, &bytes);
	parsed_give(bytes.bytes, bytes.len, answer);
}

/* ---- back, by somebody who believes nothing ----------------------------------------------- */

void source_table_free(struct source_table *t)
{
	if (!t)
		return;
	free(t->places);
	free(t->frames);
	free(t->strings);
	free(t);
}

const char *source_table_string(const struct source_table *t, uint32_t at)
{
	return t->strings + at;
}

/* Do the lengths add up to the bytes, within what a table may have? */
static bool head_is_sound(const struct packed_head *h, size_t len, size_t nr_addresses)
{
	return h->magic == MAGIC && h->nr == nr_addresses && h->nr <= SOURCE_MAX_ADDRESSES &&
	       h->nr_frames <= SOURCE_MAX_FRAMES && h->strings_len &&
	       h->strings_len <= MAX_STRINGS_BYTES &&
	       len == sizeof(*h) + h->nr * sizeof(uint32_t) +
			       h->nr_frames * sizeof(struct source_frame) + h->strings_len;
}

static bool places_unpack(struct source_table *t, const char *bytes)
{
	uint32_t first = 0;

	for (size_t i = 0; i < t->nr; i++) {
		uint32_t nr;

		memcpy(&nr, bytes + i * sizeof(nr), sizeof(nr));
		if (nr > SOURCE_MAX_DEPTH || nr > t->nr_frames - first)
			return false;
		t->places[i] = (struct source_place){ first, nr };
		first += nr;
	}
	return first == t->nr_frames;
}

/* An offset is the begin of a string: what follows a NUL; none is longer than they are made. */
static bool is_string(const struct source_table *t, uint32_t at)
{
	size_t left;

	if (at >= t->strings_len || (at && t->strings[at - 1]))
		return false;
	left = t->strings_len - at;
	return strnlen(t->strings + at, left) <= SOURCE_NAME_BYTES;
}

static bool frames_are_sound(const struct source_table *t)
{
	if (t->strings[0] || t->strings[t->strings_len - 1])
		return false;
	for (size_t i = 0; i < t->nr_frames; i++)
		if (!is_string(t, t->frames[i].name) || !is_string(t, t->frames[i].file))
			return false;
	return true;
}

struct source_table *source_table_unpack(const char *bytes, size_t len, size_t nr_addresses)
{
	_cleanup_source_table_ struct source_table *t = NULL;
	struct packed_head head;
	const char *frames;

	if (len < sizeof(head))
		return NULL;
	memcpy(&head, bytes, sizeof(head));
	if (!head_is_sound(&head, len, nr_addresses))
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->nr = head.nr;
	t->nr_frames = head.nr_frames;
	t->strings_len = head.strings_len;
	t->nr_nameless = head.nr_nameless;
	t->nr_split = head.nr_split;
	t->places = xcalloc(t->nr, sizeof(*t->places));
	if (!places_unpack(t, bytes + sizeof(head)))
		return NULL;
	frames = bytes + sizeof(head) + t->nr * sizeof(uint32_t);
	t->frames = xcalloc(t->nr_frames, sizeof(*t->frames));
	memcpy(t->frames, frames, t->nr_frames * sizeof(*t->frames));
	t->strings = xmalloc(t->strings_len);
	memcpy(t->strings, frames + t->nr_frames * sizeof(*t->frames), t->strings_len);
	return frames_are_sound(t) ? take_ptr(t) : NULL;
}

struct source_table *source_table_taken(const struct worker_answer *answer, size_t nr_addresses)
{
	struct source_table *t = NULL;
	size_t len = 0;
	const char *bytes = parsed_map(answer, &len);

	if (!bytes)
		return NULL;
	t = source_table_unpack(bytes, len, nr_addresses);
	munmap((void *)bytes, len);
	return t;
}
