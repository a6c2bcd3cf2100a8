// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The strings of each source are read once, window by window, and the names that the index refers
 * to are copied out of the window.  A source in memory is one window.
 */
#include "symbol/elf_names.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define WINDOW_BYTES	  (4u << 20)   /* of strings in memory at a time */
#define MAX_STRINGS_BYTES (256u << 20) /* looked at, of each source */
#define NAMES_SPARE_BYTES (64u << 10)
#define NR_COPIED	  4096 /* remembered: compilers give many functions one name */

struct copying {
	const struct symbol_index *index;
	uint32_t *copied; /* of each entry of the index: where its name is */
	bool *is_old;	  /* the same: whether its name has an old version */
	struct elf_names names;
	size_t max_bytes;
	bool is_cut;
};

/* A window of a source's strings. */
struct name_window {
	unsigned int source;
	uint64_t start, end; /* offsets of names that begin in it */
	const char *bytes;
	size_t len; /* up to ELF_NAME_MAX_BYTES behind `end` */
	struct name_copied {
		uint32_t offset, at; /* at 0: none */
		bool is_old;
	} copied[NR_COPIED];
};

/*
 * Names that overlap could make much of a small file.  Those that compilers write do not, but that
 * one may end in another.
 */
static size_t max_names_bytes(const struct elf_strings *sources, size_t nr)
{
	size_t bytes = NAMES_SPARE_BYTES;

	for (size_t i = 0; i < nr; i++)
		bytes += 2 * (sources[i].bytes < MAX_STRINGS_BYTES ? sources[i].bytes
								   : MAX_STRINGS_BYTES);
	return bytes;
}

/* Copies the name at an offset of the window, without its version; where it stands, or 0. */
static uint32_t name_copy(struct copying *c, const struct name_window *w, uint64_t offset,
			  bool *ret_is_old)
{
	const char *name = w->bytes + (offset - w->start);
	size_t left = w->len - (offset - w->start);
	size_t len = strnlen(name, left < ELF_NAME_MAX_BYTES ? left : ELF_NAME_MAX_BYTES);
	const char *at = memchr(name, '@', len);
	uint32_t to = c->names.len;

	*ret_is_old = at && at > name && at + 1 < name + len && at[1] != '@';
	if (at && at > name)
		len = at - name;
	if (!len)
		return 0;
	if (c->names.len + len + 1 > c->max_bytes) {
		c->is_cut = true;
		return 0;
	}
	array_reserve(c->names.bytes, c->names.cap, c->names.len + len + 1);
	memcpy(c->names.bytes + to, name, len);
	c->names.bytes[to + len] = '\0';
	c->names.len += len + 1;
	return to;
}

static void window_copy(struct copying *c, struct name_window *w)
{
	for (size_t i = 0; i < c->index->nr; i++) {
		const struct index_entry *e = &c->index->entries[i];
		struct name_copied *last = &w->copied[e->name % NR_COPIED];

		if (e->source != w->source || e->name < w->start || e->name >= w->end)
			continue;
		if (!last->at || last->offset != e->name) {
			last->offset = e->name;
			last->at = name_copy(c, w, e->name, &last->is_old);
		}
		c->copied[i] = last->at;
		c->is_old[i] = last->is_old;
	}
}

static void source_copy(struct copying *c, const struct elf_strings *s, unsigned int source)
{
	_cleanup_free_ struct name_window *w = NULL;
	_cleanup_free_ char *bytes = NULL;
	const char *view;
	uint64_t all = s->bytes < MAX_STRINGS_BYTES ? s->bytes : MAX_STRINGS_BYTES;

	if (!s->img || !all)
		return;
	c->is_cut |= all < s->bytes;
	w = xcalloc(1, sizeof(*w));
	w->source = source;
	view = (const char *)elf_source_view(&s->img->source, all, s->offset);
	if (view) {
		w->end = w->len = all;
		w->bytes = view;
		window_copy(c, w);
		return;
	}
	w->bytes = bytes = xmalloc((all < WINDOW_BYTES ? all : WINDOW_BYTES) + ELF_NAME_MAX_BYTES);
	for (uint64_t at = 0; at < all; at += WINDOW_BYTES) {
		w->start = at;
		w->end = at + WINDOW_BYTES < all ? at + WINDOW_BYTES : all;
		w->len = (w->end + ELF_NAME_MAX_BYTES < all ? w->end + ELF_NAME_MAX_BYTES : all) -
			 at;
		if (elf_image_read(s->img, s->offset + at, bytes, w->len) < 0) {
			c->is_cut = true;
			return;
		}
		window_copy(c, w);
	}
}

bool elf_names_copy(const struct elf_strings *sources, size_t nr_sources,
		    struct symbol_index *index, struct elf_names *ret_names)
{
	_cleanup_free_ uint32_t *copied = xcalloc(index->nr + 1, sizeof(*copied));
	_cleanup_free_ bool *is_old = xcalloc(index->nr + 1, sizeof(*is_old));
	struct copying c = {
		.index = index,
		.copied = copied,
		.is_old = is_old,
		.max_bytes = max_names_bytes(sources, nr_sources),
	};

	array_reserve(c.names.bytes, c.names.cap, 1);
	c.names.bytes[c.names.len++] = '\0';
	for (size_t i = 0; i < nr_sources; i++)
		source_copy(&c, &sources[i], i);
	for (size_t i = 0; i < index->nr; i++) {
		index->entries[i].name = copied[i];
		if (is_old[i] && index->entries[i].rank < SYMBOL_OLD)
			index->entries[i].rank = SYMBOL_OLD;
	}
	if (c.names.cap > c.names.len) { /* it grew by halves */
		c.names.bytes = xreallocarray(c.names.bytes, c.names.len, 1);
		c.names.cap = c.names.len;
	}
	*ret_names = c.names;
	return !c.is_cut;
}

void elf_names_deinit(struct elf_names *names)
{
	free(names->bytes);
	*names = (struct elf_names){ 0 };
}
