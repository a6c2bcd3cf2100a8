/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address ranges of symbols, 12 bytes each, sorted: add them in any order, finish, then find.
 * Knows nothing of files; a name is an offset into one of eight sources.
 */
#ifndef EDDY_SYMBOL_SYMBOL_INDEX_H
#define EDDY_SYMBOL_SYMBOL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_INDEX_MAX ((size_t)4 << 20) /* symbols: 48 MiB */

enum symbol_rank {
	SYMBOL_GLOBAL,
	SYMBOL_WEAK,
	SYMBOL_OLD, /* either, of a version that programs are not linked with any more */
	SYMBOL_LOCAL,
};

struct index_entry {
	uint32_t value;	      /* from symbol_index.base */
	uint32_t name;	      /* offset in the source's strings */
	uint32_t size : 26;   /* larger ones are cut to 64 MiB */
	uint32_t no_size : 1; /* the table gave none: size is up to the next symbol */
	uint32_t rank : 2;    /* enum symbol_rank */
	uint32_t source : 3;
};

struct symbol_index {
	struct index_entry *entries;
	size_t nr, cap;
	uint64_t base; /* set before the first add; lower and 4 GiB higher values do not fit */
	uint32_t max_size;
};

struct symbol {
	uint64_t value, size; /* size 0: not known */
	uint32_t name;
	enum symbol_rank rank;
	unsigned int source;
};

/* False when it does not fit (value outside of base + 4 GiB, or the index is full). */
bool symbol_index_add(struct symbol_index *ix, const struct symbol *s);
/*
 * Sorts and gives symbols without a size their reach: up to the next symbol, but not beyond
 * limit(ctx, value), the end of what they stand in.
 */
void symbol_index_finish(struct symbol_index *ix, uint64_t (*limit)(void *ctx, uint64_t value),
			 void *ctx);
void symbol_index_deinit(struct symbol_index *ix);

/*
 * The start of the symbol that covers addr, or -ENOENT: the innermost one that has a size, else one
 * without, and which of both.
 */
int symbol_index_find(const struct symbol_index *ix, uint64_t addr, uint64_t *ret_start,
		      bool *ret_has_size);
/* The entries of the symbols that start there: *ret_nr of them, 0 (and NULL) when none. */
const struct index_entry *symbol_index_at(const struct symbol_index *ix, uint64_t start,
					  size_t *ret_nr);

#endif
