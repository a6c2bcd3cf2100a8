// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compilers write unwind entries object by object and section by section, so that they are sorted
 * in long runs.  Sorting is by radix, which is stable: 120 000 functions take 2 ms.
 */
#include "symbol/function_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define RADIX_BITS    11
#define RADIX_BUCKETS (1u << RADIX_BITS)

_Static_assert(sizeof(struct function_range) == 8, "the table is counted in 8 bytes a function");

bool function_table_add(struct function_table *t, uint64_t start, uint64_t bytes)
{
	uint64_t from_base = start - t->base;

	if (start < t->base || from_base > UINT32_MAX || t->nr == FUNCTION_TABLE_MAX)
		return false;
	array_reserve(t->ranges, t->cap, t->nr + 1);
	t->ranges[t->nr++] = (struct function_range){
		.start = from_base,
		.bytes = bytes < UINT32_MAX ? bytes : UINT32_MAX,
	};
	return true;
}

static bool is_sorted(const struct function_table *t)
{
	for (size_t i = 1; i < t->nr; i++)
		if (t->ranges[i - 1].start > t->ranges[i].start)
			return false;
	return true;
}

static void sort_pass(const struct function_range *from, struct function_range *to, size_t nr,
		      unsigned int shift)
{
	size_t at[RADIX_BUCKETS] = { 0 }, sum = 0;

	for (size_t i = 0; i < nr; i++)
		at[from[i].start >> shift & (RADIX_BUCKETS - 1)]++;
	for (size_t b = 0; b < RADIX_BUCKETS; b++) {
		size_t n = at[b];

		at[b] = sum;
		sum += n;
	}
	for (size_t i = 0; i < nr; i++)
		to[at[from[i].start >> shift & (RADIX_BUCKETS - 1)]++] = from[i];
}

static void sort(struct function_table *t)
{
	struct function_range *other = xreallocarray(NULL, t->nr, sizeof(*other));

	for (unsigned int shift = 0; shift < 32; shift += RADIX_BITS) {
		struct function_range *sorted = other;

		sort_pass(t->ranges, sorted, t->nr, shift);
		other = t->ranges;
		t->ranges = sorted;
	}
	free(other);
}

void function_table_finish(struct function_table *t)
{
	size_t n = 0;

	if (!is_sorted(t))
		sort(t);
	for (size_t i = 0; i < t->nr; i++)
		if (!n || t->ranges[n - 1].start != t->ranges[i].start)
			t->ranges[n++] = t->ranges[i];
	t->nr = n;
	if (t->cap > n && n) { /* it grew by halves */
		t->ranges = xreallocarray(t->ranges, n, sizeof(*t->ranges));
		t->cap = n;
	}
}

void function_table_deinit(struct function_table *t)
{
	free(t->ranges);
	*t = (struct function_table){ 0 };
}

size_t function_table_nr_up_to(const struct function_table *t, uint64_t addr)
{
	size_t lo = 0, hi = t->nr;
	uint64_t at = addr - t->base;

	if (addr < t->base)
		return 0;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->ranges[mid].start <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int function_table_before(const struct function_table *t, uint64_t addr, uint64_t *ret_start,
			  uint64_t *ret_end)
{
	size_t nr = function_table_nr_up_to(t, addr);

	if (!nr)
		return -ENOENT;
	*ret_start = t->base + t->ranges[nr - 1].start;
	*ret_end = *ret_start + t->ranges[nr - 1].bytes;
	return 0;
}
