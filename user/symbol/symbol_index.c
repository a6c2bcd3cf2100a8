// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sorted array of 12-byte entries.  Sorting is by radix (three passes over 11 bits): 500 000
 * symbols take 10 ms, where qsort's merge takes 90.  It is stable, so aliases keep the order of
 * their table.
 */
#include "symbol/symbol_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define MAX_SIZE      ((1u << 26) - 1)
#define MAX_WALK      1024 /* entries looked at before the address, for symbols that enclose it */
#define RADIX_BITS    11
#define RADIX_BUCKETS (1u << RADIX_BITS)

_Static_assert(sizeof(struct index_entry) == 12, "the index is counted in 12 bytes a symbol");

bool symbol_index_add(struct symbol_index *ix, const struct symbol *s)
{
	uint64_t value = s->value - ix->base;

	if (s->value < ix->base || value > UINT32_MAX || ix->nr == SYMBOL_INDEX_MAX)
		return false;
	array_reserve(ix->entries, ix->cap, ix->nr + 1);
	ix->entries[ix->nr++] = (struct index_entry){
		.value = value,
		.name = s->name,
		.size = s->size < MAX_SIZE ? s->size : MAX_SIZE,
		.no_size = !s->size,
		.rank = s->rank,
		.source = s->source,
	};
	return true;
}

/* One stable counting pass; false when all entries share the digit and nothing was moved. */
static bool sort_pass(const struct index_entry *from, struct index_entry *to, size_t nr,
		      unsigned int shift)
{
	size_t at[RADIX_BUCKETS] = { 0 }, sum = 0;

	for (size_t i = 0; i < nr; i++)
		at[from[i].value >> shift & (RADIX_BUCKETS - 1)]++;
	if (nr && at[from[0].value >> shift & (RADIX_BUCKETS - 1)] == nr)
		return false;
	for (size_t b = 0; b < RADIX_BUCKETS; b++) {
		size_t n = at[b];

		at[b] = sum;
		sum += n;
	}
	for (size_t i = 0; i < nr; i++)
		to[at[from[i].value >> shift & (RADIX_BUCKETS - 1)]++] = from[i];
	return true;
}

static void sort(struct symbol_index *ix)
{
	struct index_entry *other = xreallocarray(NULL, ix->nr, sizeof(*other));

	for (unsigned int shift = 0; shift < 32; shift += RADIX_BITS)
		if (sort_pass(ix->entries, other, ix->nr, shift)) {
			struct index_entry *t = ix->entries;

			ix->entries = other;
			other = t;
		}
	free(other);
	ix->cap = ix->nr;
}

static void set_reach(struct symbol_index *ix, size_t i, uint64_t next,
		      uint64_t (*limit)(void *ctx, uint64_t value), void *ctx)
{
	struct index_entry *e = &ix->entries[i];
	uint64_t value = ix->base + e->value, end = limit(ctx, value), size;

	if (next < end)
		end = next;
	size = end > value ? end - value : 0;
	e->size = size < MAX_SIZE ? size : MAX_SIZE;
}

void symbol_index_finish(struct symbol_index *ix, uint64_t (*limit)(void *ctx, uint64_t value),
			 void *ctx)
{
	uint64_t next = UINT64_MAX;

	if (!ix->nr)
		return;
	sort(ix);
	for (size_t i = ix->nr; i-- > 0;) {
		struct index_entry *e = &ix->entries[i];

		if (i + 1 < ix->nr && e[1].value != e->value)
			next = ix->base + e[1].value;
		if (e->no_size)
			set_reach(ix, i, next, limit, ctx);
		if (e->size > ix->max_size)
			ix->max_size = e->size;
	}
}

void symbol_index_deinit(struct symbol_index *ix)
{
	free(ix->entries);
	*ix = (struct symbol_index){ 0 };
}

/* The number of entries whose value is <= v. */
static size_t nr_not_above(const struct symbol_index *ix, uint32_t v)
{
	size_t lo = 0, hi = ix->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ix->entries[mid].value <= v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int symbol_index_find(const struct symbol_index *ix, uint64_t addr, uint64_t *ret_start,
		      bool *ret_has_size)
{
	const struct index_entry *without_size = NULL;
	uint32_t v = addr - ix->base;
	size_t i, seen = 0;

	if (addr < ix->base || addr - ix->base > UINT32_MAX)
		return -ENOENT;
	for (i = nr_not_above(ix, v); i-- > 0 && seen < MAX_WALK; seen++) {
		const struct index_entry *e = &ix->entries[i];

		if (v - e->value >= ix->max_size)
			break;
		if (v - e->value >= e->size)
			continue;
		if (!e->no_size) {
			*ret_start = ix->base + e->value;
			*ret_has_size = true;
			return 0;
		}
		if (!without_size)
			without_size = e;
	}
	if (!without_size)
		return -ENOENT;
	*ret_start = ix->base + without_size->value;
	*ret_has_size = false;
	return 0;
}

const struct index_entry *symbol_index_at(const struct symbol_index *ix, uint64_t start,
					  size_t *ret_nr)
{
	uint32_t v = start - ix->base;
	size_t end, first;

	*ret_nr = 0;
	if (start < ix->base || start - ix->base > UINT32_MAX)
		return NULL;
	end = first = nr_not_above(ix, v);
	while (first > 0 && ix->entries[first - 1].value == v)
		first--;
	*ret_nr = end - first;
	return end > first ? &ix->entries[first] : NULL;
}
