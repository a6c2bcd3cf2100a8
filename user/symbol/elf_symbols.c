// SPDX-License-Identifier: GPL-2.0-or-later
/* Looking up in the symbols of a file; elf_symbols_read.c makes them. */
#include "symbol/elf_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "symbol/elf_symbols_table.h"
#include "symbol/symbol_name.h"
#include "util/hash.h"
#include "util/mem.h"

#define MAX_ALIASES 32 /* looked at for one address */

struct elf_symbols *elf_symbols_new(void)
{
	struct elf_symbols *t = xcalloc(1, sizeof(*t));

	t->refs = 1;
	t->img.source.fd = -1;
	return t;
}

struct elf_symbols *elf_symbols_ref(struct elf_symbols *t)
{
	t->refs++;
	return t;
}

bool elf_symbols_has_left_out(const struct elf_symbols *t)
{
	return t->left_out;
}

uint64_t elf_symbols_unpacked_bytes(const struct elf_symbols *t)
{
	return t->unpacked_bytes;
}

uint64_t elf_symbols_nr_refused(const struct elf_symbols *t)
{
	return t->nr_refused;
}

static bool same_segments(const struct elf_image *a, const struct elf_image *b)
{
	if (a->nr_segments != b->nr_segments)
		return false;
	for (size_t i = 0; i < a->nr_segments; i++) {
		const struct elf_segment *x = &a->segments[i], *y = &b->segments[i];

		if (x->offset != y->offset || x->file_bytes != y->file_bytes ||
		    x->vaddr != y->vaddr || x->memory_bytes != y->memory_bytes ||
		    x->executable != y->executable)
			return false;
	}
	return true;
}

bool elf_symbols_are_equal(const struct elf_symbols *a, const struct elf_symbols *b)
{
	return a->full == b->full && a->damaged == b->damaged && a->left_out == b->left_out &&
	       a->index.nr == b->index.nr && a->index.base == b->index.base &&
	       a->index.max_size == b->index.max_size && a->names.len == b->names.len &&
	       same_segments(&a->img, &b->img) &&
	       (!a->index.nr || !memcmp(a->index.entries, b->index.entries,
					a->index.nr * sizeof(*a->index.entries))) &&
	       (!a->names.len || !memcmp(a->names.bytes, b->names.bytes, a->names.len));
}

/* Not of `damaged`, which may change when functions are added. */
uint64_t elf_symbols_hash(struct elf_symbols *t)
{
	uint64_t h = hash_mix(t->index.nr, t->index.base);

	if (t->hash)
		return t->hash;
	h = hash_mix(h, hash_bytes(t->img.build_id, t->img.build_id_len));
	h = hash_mix(h, hash_bytes(t->index.entries, t->index.nr * sizeof(*t->index.entries)));
	h = hash_mix(h, hash_bytes(t->names.bytes, t->names.len));
	return t->hash = h ? h : 1;
}

bool elf_symbols_is_shared(const struct elf_symbols *t)
{
	return t->refs > 1;
}

void elf_symbols_unref(struct elf_symbols *t)
{
	if (!t || --t->refs)
		return;
	elf_image_deinit(&t->img);
	if (!t->functions_are_mapped)
		function_table_deinit(&t->functions);
	if (t->is_mapped) {
		if (t->mapped)
			munmap(t->mapped, t->mapped_len);
	} else {
		symbol_index_deinit(&t->index);
		elf_names_deinit(&t->names);
	}
	free(t);
}

/* Those of a parser's answer may be of any length. */
static size_t name_len(const char *name)
{
	return strnlen(name, ELF_NAME_MAX_BYTES);
}

struct candidate {
	const struct index_entry *entry;
	struct named_symbol symbol;
};

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (!b->entry)
		return true;
	if (a->entry->no_size != b->entry->no_size)
		return b->entry->no_size;
	if ((a->entry->source == SOURCE_PLT) != (b->entry->source == SOURCE_PLT))
		return b->entry->source == SOURCE_PLT;
	return symbol_name_compare(&a->symbol, &b->symbol) < 0;
}

const struct index_entry *elf_symbols_best_at(const struct elf_symbols *t, uint64_t start,
					      size_t *ret_nr)
{
	const struct index_entry *e = symbol_index_at(&t->index, start, ret_nr);
	struct candidate best = { 0 };

	for (size_t i = 0; i < *ret_nr && i < MAX_ALIASES; i++) {
		const char *name = t->names.bytes + e[i].name;
		struct candidate next = { &e[i], { e[i].rank, name, name_len(name) } };

		if (next.symbol.len && is_better(&next, &best))
			best = next;
	}
	return best.entry;
}

bool elf_symbols_wants_functions(const struct elf_symbols *t)
{
	return t->wants_functions;
}

/* They can grow from now on. */
static void functions_take(struct elf_symbols *t)
{
	const struct function_table mapped = t->functions;

	if (!t->functions_are_mapped)
		return;
	t->functions_are_mapped = false;
	t->functions = (struct function_table){ .base = mapped.base };
	for (size_t i = 0; i < mapped.nr; i++)
		function_table_add(&t->functions, mapped.base + mapped.ranges[i].start,
				   mapped.ranges[i].bytes);
}

void elf_symbols_add_functions(struct elf_symbols *t, const struct elf_symbols *functions)
{
	const struct function_table *from = &functions->functions;
	bool is_whole = !functions->damaged;

	functions_take(t);
	for (size_t i = 0; i < from->nr; i++)
		is_whole &= function_table_add(&t->functions, from->base + from->ranges[i].start,
					       from->ranges[i].bytes);
	function_table_finish(&t->functions);
	t->damaged |= !is_whole;
	t->wants_functions = false;
}

int elf_symbols_cover(const struct elf_symbols *t, uint64_t vaddr, uint64_t *ret_start)
{
	uint64_t start = 0, begin, end;
	bool has_size = false;
	int r = symbol_index_find(&t->index, vaddr, &start, &has_size);

	if (has_size || function_table_before(&t->functions, vaddr, &begin, &end) < 0 ||
	    (r >= 0 && begin <= start)) {
		*ret_start = start;
		return r;
	}
	/* A label without a size does not reach into the next function, nor behind that. */
	if (vaddr >= end)
		return -ENOENT;
	*ret_start = begin;
	return 0;
}

int elf_symbols_find(const struct elf_symbols *t, uint64_t vaddr, uint64_t *ret_start)
{
	uint64_t start;
	int r = elf_symbols_cover(t, vaddr, &start);

	/* Whether one begins there is known when all are. */
	if (r < 0 && vaddr && !t->wants_functions)
		r = elf_symbols_cover(t, vaddr - 1, &start);
	if (r >= 0)
		*ret_start = start;
	return r;
}

int elf_symbols_name(const struct elf_symbols *t, uint64_t start, struct strbuf *to)
{
	size_t nr;
	const struct index_entry *best = elf_symbols_best_at(t, start, &nr);
	const char *name;

	if (!best)
		return nr ? -EBADMSG : -ENOENT;
	name = t->names.bytes + best->name;
	strbuf_add(to, name, name_len(name));
	if (best->source == SOURCE_PLT)
		strbuf_addstr(to, "@plt");
	return 0;
}

const struct elf_image *elf_symbols_image(const struct elf_symbols *t)
{
	return &t->img;
}

bool elf_symbols_is_full(const struct elf_symbols *t)
{
	return t->full;
}

bool elf_symbols_is_damaged(const struct elf_symbols *t)
{
	return t->damaged;
}

size_t elf_symbols_nr(const struct elf_symbols *t)
{
	return t->index.nr;
}

size_t elf_symbols_bytes(const struct elf_symbols *t)
{
	return sizeof(*t) + t->index.cap * sizeof(*t->index.entries) + t->names.cap +
	       t->functions.cap * sizeof(*t->functions.ranges) +
	       t->img.nr_segments * sizeof(struct elf_segment);
}
