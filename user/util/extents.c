// SPDX-License-Identifier: GPL-2.0-or-later
/* A sorted array of free extents: allocations are whole files, so there are few of them. */
#include "util/extents.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

void extents_init(struct extents *e, uint64_t block)
{
	*e = (struct extents){ .block = block };
}

void extents_deinit(struct extents *e)
{
	free(e->free);
	*e = (struct extents){ 0 };
}

static bool may_merge(const struct extents *e, const struct extent *a, const struct extent *b)
{
	return a->start + a->len == b->start && (!e->block || b->start % e->block);
}

void extents_add(struct extents *e, uint64_t start, uint64_t len)
{
	size_t at = 0;

	if (!len)
		return;
	e->nr_free += len;
	while (at < e->nr && e->free[at].start < start)
		at++;
	array_reserve(e->free, e->cap, e->nr + 1);
	memmove(e->free + at + 1, e->free + at, (e->nr - at) * sizeof(*e->free));
	e->free[at] = (struct extent){ start, len };
	e->nr++;
	/* First with the one behind, then with the one before: the index of `at` stays true. */
	for (size_t i = at + 1; i > 0 && i + 1 >= at + 1; i--) {
		if (i >= e->nr || !may_merge(e, &e->free[i - 1], &e->free[i]))
			continue;
		e->free[i - 1].len += e->free[i].len;
		memmove(e->free + i, e->free + i + 1, (e->nr - i - 1) * sizeof(*e->free));
		e->nr--;
	}
}

int extents_take(struct extents *e, uint64_t len, uint64_t *ret_start)
{
	for (size_t i = 0; i < e->nr; i++) {
		struct extent *x = &e->free[i];

		if (x->len < len)
			continue;
		*ret_start = x->start;
		x->start += len;
		x->len -= len;
		e->nr_free -= len;
		if (!x->len) {
			memmove(x, x + 1, (e->nr - i - 1) * sizeof(*x));
			e->nr--;
		}
		return 0;
	}
	return -ENOSPC;
}
