// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorting 100 000 names costs tens of milliseconds, most of it in fetching strings: each key
 * carries the first eight bytes, which settle nearly all comparisons.
 */
#include "analysis/name_rank.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frame_text.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/strbuf.h"

struct name_key {
	uint64_t prefix;
	const struct frame_table *frames;
	frame_id id;
};

/* Byte i of a name with its suffix; -1 behind the end. */
static int byte_at(const char *name, size_t len, const char *suffix, size_t i)
{
	if (i < len)
		return (unsigned char)name[i];
	i -= len;
	return i < strlen(suffix) ? (unsigned char)suffix[i] : -1;
}

/* The few that have a line: their texts are made for it. */
static int place_compare(const struct frame_table *t, frame_id a, frame_id b)
{
	_cleanup_strbuf_ struct strbuf text_a = STRBUF_INIT, text_b = STRBUF_INIT;

	frame_text_add(&text_a, t, a, false);
	frame_text_add(&text_b, t, b, false);
	return strcmp(text_a.bytes, text_b.bytes);
}

int name_compare(const struct frame_table *t, frame_id a, frame_id b)
{
	size_t len_a, len_b, i;
	const char *name_a = frame_table_name(t, a, &len_a);
	const char *name_b = frame_table_name(t, b, &len_b);
	const char *suffix_a = frame_origin_suffix(frame_table_get(t, a)->origin);
	const char *suffix_b = frame_origin_suffix(frame_table_get(t, b)->origin);
	int cmp = memcmp(name_a, name_b, len_a < len_b ? len_a : len_b);

	if (cmp)
		return cmp;
	if (frame_has_line(frame_table_get(t, a)) || frame_has_line(frame_table_get(t, b)))
		return place_compare(t, a, b);
	for (i = len_a < len_b ? len_a : len_b;; i++) {
		int byte_a = byte_at(name_a, len_a, suffix_a, i);
		int byte_b = byte_at(name_b, len_b, suffix_b, i);

		if (byte_a != byte_b)
			return byte_a < byte_b ? -1 : 1;
		if (byte_a < 0)
			return 0;
	}
}

static int compare_keys(const void *va, const void *vb)
{
	const struct name_key *a = va, *b = vb;
	int cmp;

	if (a->prefix != b->prefix)
		return a->prefix < b->prefix ? -1 : 1;
	cmp = name_compare(a->frames, a->id, b->id);
	if (cmp)
		return cmp;
	return a->id < b->id ? -1 : a->id > b->id;
}

void name_rank_update(struct name_rank *r, const struct frame_table *t)
{
	size_t nr = frame_table_nr(t);
	_cleanup_free_ struct name_key *keys = NULL;

	if (nr == r->nr)
		return;
	keys = xmalloc(nr * sizeof(*keys));
	for (frame_id id = 0; id < nr; id++) {
		size_t len;
		const char *name = frame_table_name(t, id, &len);
		const struct frame *f = frame_table_get(t, id);
		const char *suffix = frame_has_line(f) ? FRAME_AT : frame_origin_suffix(f->origin);
		char bytes[8] = { 0 };
		uint64_t prefix;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			int byte = byte_at(name, len, suffix, i);

			if (byte < 0)
				break;
			bytes[i] = byte;
		}
		memcpy(&prefix, bytes, sizeof(prefix));
		keys[id] = (struct name_key){ be64toh(prefix), t, id };
	}
	qsort(keys, nr, sizeof(*keys), compare_keys);
	r->ranks = xreallocarray(r->ranks, nr, sizeof(*r->ranks));
	for (size_t i = 0; i < nr; i++)
		r->ranks[keys[i].id] = i;
	r->nr = nr;
}

void name_rank_deinit(struct name_rank *r)
{
	free(r->ranks);
	*r = (struct name_rank){ 0 };
}
