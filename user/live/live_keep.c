// SPDX-License-Identifier: GPL-2.0-or-later
/* Siblings are sorted by the places they get; then all rows are written in preorder. */
#include "live/live_keep.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

struct placed {
	uint64_t key;
	size_t place; /* in the table before */
};

static int by_key(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

struct ordered {
	size_t parent; /* its row + 1; 0: none */
	size_t group, place, row;
};

static int by_place(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Callers, the function, callees; in a tree what is left out stands behind its siblings. */
static size_t group_of(const struct live_table *t, const struct live_row *row, bool has_head)
{
	if (t->view == LIVE_CALLS)
		return row->is_head ? 1 : has_head ? 2 : 0;
	return t->view == LIVE_TREE && !row->frame;
}

static void find_parents(const struct live_table *t, struct ordered *rows)
{
	_cleanup_free_ size_t *last = NULL; /* row + 1 of each level */
	bool has_head = false;
	uint32_t deepest = 0;

	for (size_t i = 0; i < t->nr; i++)
		if (t->rows[i].level > deepest)
			deepest = t->rows[i].level;
	last = xcalloc((size_t)deepest + 1, sizeof(*last));
	for (size_t i = 0; i < t->nr; i++) {
		const struct live_row *row = &t->rows[i];

		last[row->level] = i + 1;
		rows[i].parent = row->level ? last[row->level - 1] : 0;
		rows[i].group = group_of(t, row, has_head);
		rows[i].row = i;
		has_head |= row->is_head;
	}
}

void live_table_place(struct live_table *t, const size_t *places)
{
	_cleanup_free_ struct ordered *order = xcalloc(t->nr + 1, sizeof(*order));
	_cleanup_free_ size_t *first = xcalloc(t->nr + 1, sizeof(*first)); /* child, + 1 */
	_cleanup_free_ size_t *stack = xcalloc(t->nr + 1, sizeof(*stack)); /* siblings to come */
	struct live_row *rows = xcalloc(t->nr, sizeof(*rows));
	size_t depth = 0, nr = 0;

	find_parents(t, order);
	for (size_t i = 0; i < t->nr; i++)
		order[i].place = places[i];
	qsort(order, t->nr, sizeof(*order), by_place);
	order[t->nr].parent = SIZE_MAX;
	for (size_t i = t->nr; i--;)
		first[order[i].parent] = i + 1;
	if (t->nr)
		stack[depth++] = 0;
	while (depth) {
		size_t at = stack[--depth], row = order[at].row;

		rows[nr] = t->rows[row];
		rows[nr++].is_noise = false; /* what stood above it may be another */
		if (order[at + 1].parent == order[at].parent)
			stack[depth++] = at + 1;
		if (first[row + 1])
			stack[depth++] = first[row + 1] - 1;
	}
	free(t->rows);
	t->rows = rows;
	t->cap = t->nr;
}

void live_table_keep_order(const struct live_table *before, struct live_table *t)
{
	_cleanup_free_ struct placed *there = xcalloc(before->nr, sizeof(*there));
	_cleanup_free_ size_t *places = xcalloc(t->nr, sizeof(*places));

	for (size_t i = 0; i < before->nr; i++)
		there[i] = (struct placed){ before->rows[i].key, i };
	qsort(there, before->nr, sizeof(*there), by_key);
	for (size_t i = 0; i < t->nr; i++) {
		const struct placed asked = { .key = t->rows[i].key };
		const struct placed *found =
			bsearch(&asked, there, before->nr, sizeof(*there), by_key);

		places[i] = found ? found->place : before->nr + i;
	}
	live_table_place(t, places);
}
