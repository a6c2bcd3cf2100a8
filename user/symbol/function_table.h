/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the functions of a file begin and end, by its unwind entries: what code without symbols is
 * known by.  8 bytes a function, sorted: add them in any order, finish, then ask.
 */
#ifndef EDDY_SYMBOL_FUNCTION_TABLE_H
#define EDDY_SYMBOL_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUNCTION_TABLE_MAX ((size_t)2 << 20) /* functions: 16 MiB; browsers have 600 000 */

struct function_range {
	uint32_t start; /* from function_table.base */
	uint32_t bytes;
};

struct function_table {
	struct function_range *ranges;
	size_t nr, cap;
	uint64_t base; /* set before the first add; lower and 4 GiB higher code does not fit */
};

/* False when it does not fit; bytes > 0. */
bool function_table_add(struct function_table *t, uint64_t start, uint64_t bytes);
/*
 * Sorts; of two that begin at one address the first added stays.  More can be added, and finished,
 * then.
 */
void function_table_finish(struct function_table *t);
void function_table_deinit(struct function_table *t);

/* How many begin at or before that address: they are the first of the table. */
size_t function_table_nr_up_to(const struct function_table *t, uint64_t addr);
/*
 * The last function that begins at or before that address, which may lie behind its end: where one
 * begins, those before it have ended, whatever they say.  -ENOENT when there is none.
 */
int function_table_before(const struct function_table *t, uint64_t addr, uint64_t *ret_start,
			  uint64_t *ret_end);

#endif
