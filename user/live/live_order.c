// SPDX-License-Identifier: GPL-2.0-or-later
/* What the makers of tables share: which rows are hidden, their order, and noise in it. */
#include "live/live_rows.h"

#include <stdlib.h>
#include <string.h>

static bool is_of_module(const struct frame_table *frames, frame_id id, const char *module)
{
	size_t len;
	const char *name = live_module_of(frames, id, &len);

	return strlen(module) == len && !memcmp(module, name, len);
}

bool live_row_is_hidden(const struct live_choice *c, const struct frame_table *frames, frame_id id)
{
	const struct frame *f = frame_table_get(frames, id);
	const char *name;
	size_t len, filter_len = c->filter ? strlen(c->filter) : 0;

	if (f->origin == FRAME_KERNEL ? c->hide_kernel : c->hide_user)
		return true;
	if (c->module && !is_of_module(frames, id, c->module))
		return true;
	if (!filter_len)
		return false;
	name = frame_table_name(frames, id, &len);
	return !memmem(name, len, c->filter, filter_len);
}

struct sorting {
	const struct graph *graph;
	size_t column, next; /* the second is for those that are equal in the first */
	bool is_number, is_inverted;
};

int live_value_compare(uint64_t x, uint64_t y, bool smallest_first)
{
	if (x == y)
		return 0;
	if (x == LIVE_NO_VALUE || y == LIVE_NO_VALUE)
		return x == LIVE_NO_VALUE ? 1 : -1;
	return (x > y) != smallest_first ? -1 : 1;
}

size_t live_rows_number_column(const struct live_table *t, const struct live_choice *c)
{
	return c->sort < t->nr_columns ? c->sort : 0;
}

static int by_column(const void *a, const void *b, void *ctx)
{
	const struct live_row *x = a, *y = b;
	const struct sorting *s = ctx;
	int c = live_value_compare(x->values[s->column], y->values[s->column],
				   s->is_number != s->is_inverted);
	uint32_t rx, ry;

	if (!c)
		c = live_value_compare(x->values[s->next], y->values[s->next], s->is_inverted);
	if (c)
		return c;
	rx = graph_rank(s->graph, x->frame);
	ry = graph_rank(s->graph, y->frame);
	return rx < ry ? -1 : rx > ry;
}

void live_rows_sort(struct live_table *t, struct live_row *rows, size_t nr, const struct graph *g,
		    size_t column)
{
	struct sorting s = { g, column, column ? 0 : 1, t->columns[column].kind == LIVE_NUMBER,
			     t->is_inverted };

	if (nr)
		qsort_r(rows, nr, sizeof(*rows), by_column, &s);
}

/*
 * Two counts of one window that would differ as much by chance, were the shares the same: given
 * their sum, the larger is binomial with p = 1/2.
 */
static bool is_noise(uint64_t a, uint64_t b, uint32_t parts)
{
	uint64_t more = a > b ? a : b, less = a > b ? b : a;
	double d = (double)more - less, sum = (double)more + less;

	/* Decayed weights vary half as much as samples of the same sum. */
	return less && d * d <= 1.96 * 1.96 * sum * (parts > 1 ? parts / 2.0 : 1);
}

void live_rows_mark_noise(struct live_table *t)
{
	for (size_t i = 1; i < t->nr; i++)
		t->rows[i].is_noise = is_noise(t->rows[i - 1].values[t->sorted],
					       t->rows[i].values[t->sorted], t->parts);
}

void live_rows_cut(struct live_table *t, size_t limit)
{
	if (limit && t->nr > limit)
		t->nr = limit;
}
