// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of addresses of code, which are looked up by bisection and grow from time to time. */
#include "unwind/code_addresses.h"

#include <stdlib.h>

#include "util/mem.h"

/* Of equal addresses the one whose end is known comes first. */
static int compare_entries(const void *left, const void *right)
{
	const struct code_entry *a = left, *b = right;

	if (a->addr != b->addr)
		return a->addr > b->addr ? 1 : -1;
	return (a->end < b->end) - (a->end > b->end);
}

static int compare_addresses(const void *left, const void *right)
{
	const struct code_entry *a = left, *b = right;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

const struct code_entry *code_addresses_find(const struct code_addresses *a, uint64_t addr)
{
	const struct code_entry key = { .addr = addr };

	return a->nr_sorted ? bsearch(&key, a->items, a->nr_sorted, sizeof(key), compare_addresses)
			    : NULL;
}

void code_addresses_add(struct code_addresses *a, uint64_t addr, uint64_t end)
{
	array_reserve(a->items, a->cap, a->nr + 1);
	a->items[a->nr++] = (struct code_entry){ addr, end };
}

bool code_addresses_finish(struct code_addresses *a)
{
	size_t before = a->nr_sorted, n = 0;

	if (a->nr > a->nr_sorted)
		qsort(a->items, a->nr, sizeof(*a->items), compare_entries);
	for (size_t i = 0; i < a->nr; i++)
		if (!n || a->items[n - 1].addr != a->items[i].addr)
			a->items[n++] = a->items[i];
	a->nr = a->nr_sorted = n;
	return n != before;
}
