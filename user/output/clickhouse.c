// SPDX-License-Identifier: GPL-2.0-or-later
/* FNV-1a goes on where it stopped, so a node's hash is that of its caller and a few bytes more. */
#include "output/clickhouse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frame_text.h"
#include "util/mem.h"

uint64_t stack_hash(uint64_t hash, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* The hash of every node's stack; free() it. */
static uint64_t *hash_nodes(const struct profile *p)
{
	size_t nr = profile_nr_nodes(p);
	uint64_t *hashes = xcalloc(nr, sizeof(*hashes));
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	hashes[NODE_ROOT] = STACK_HASH_INIT;
	for (node_id n = 1; n < nr; n++) {
		node_id parent = profile_parent(p, n);

		strbuf_reset(&text);
		if (parent)
			strbuf_addch(&text, ';');
		frame_text_add(&text, profile_frames(p), profile_frame(p, n), false);
		hashes[n] = stack_hash(hashes[parent], text.bytes, text.len);
	}
	return hashes;
}

/* A text field, or one of an array in quotes: what ends either is escaped. */
static void add_escaped(struct strbuf *sb, const char *s)
{
	static const char from[] = "\b\f\r\n\t\\'", to[] = "bfrnt\\'";

	for (; *s; s++) {
		const char *which = strchr(from, *s);

		if (which)
			strbuf_addch(sb, '\\');
		strbuf_addch(sb, which ? to[which - from] : *s);
	}
}

/* ['a','b'] */
static void add_frames(struct strbuf *sb, const struct profile *p, node_id node)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	_cleanup_free_ node_id *path = NULL;
	size_t depth = profile_chain(p, node, &path);

	strbuf_addch(sb, '[');
	for (size_t i = 0; i < depth; i++) {
		strbuf_reset(&name);
		frame_text_add(&name, profile_frames(p), profile_frame(p, path[i]), false);
		strbuf_addstr(sb, i ? ",'" : "'");
		add_escaped(sb, name.bytes);
		strbuf_addch(sb, '\'');
	}
	strbuf_addch(sb, ']');
}

static void add_place(struct strbuf *sb, const struct clickhouse_window *w)
{
	add_escaped(sb, w->host);
	strbuf_addf(sb, "\t%" PRId64 "\t%" PRIu64 "\t%" PRIu32, w->ts, w->seconds, w->nr);
}

static void write_window(FILE *to, const struct clickhouse_window *w)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	add_place(&line, w);
	strbuf_addch(&line, '\t');
	add_escaped(&line, w->event);
	fprintf(to, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		line.bytes, w->freq_hz, w->nr_cpus, w->due, w->kept, w->lost);
}

void clickhouse_write(FILE *to, enum clickhouse_table table, const struct profile *p,
		      const struct clickhouse_window *w)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, place = STRBUF_INIT;
	_cleanup_free_ uint64_t *hashes = NULL;

	if (table == CLICKHOUSE_WINDOWS) {
		write_window(to, w);
		return;
	}
	hashes = hash_nodes(p);
	if (table != CLICKHOUSE_STACKS)
		add_place(&place, w);
	if (table == CLICKHOUSE_ALL)
		strbuf_addf(&place, "\t%" PRIu64, w->due);
	if (place.len)
		strbuf_addch(&place, '\t');
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		if (!profile_self(p, n))
			continue;
		strbuf_reset(&line);
		strbuf_add(&line, place.bytes, place.len);
		strbuf_addf(&line, "%" PRIu64, hashes[n]);
		if (table != CLICKHOUSE_STACKS)
			strbuf_addf(&line, "\t%" PRIu64, profile_self(p, n));
		if (table != CLICKHOUSE_SAMPLES) {
			strbuf_addch(&line, '\t');
			add_frames(&line, p, n);
		}
		strbuf_addch(&line, '\n');
		fwrite(line.bytes, 1, line.len, to);
	}
}

static int u64_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

size_t clickhouse_nr_collisions(const struct profile *p)
{
	_cleanup_free_ uint64_t *hashes = hash_nodes(p);
	size_t nr = 0, collisions = 0;

	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		if (profile_self(p, n))
			hashes[nr++] = hashes[n];
	qsort(hashes, nr, sizeof(*hashes), u64_cmp);
	for (size_t i = 1; i < nr; i++)
		collisions += hashes[i] == hashes[i - 1];
	return collisions;
}
