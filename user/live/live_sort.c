// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any table by any of its columns: all rows get a place by what they are sorted by, and siblings
 * stand in the order of their places.
 */
#include <stdlib.h>
#include <string.h>

#include "live/live_keep.h"
#include "live/live_rows.h"
#include "util/mem.h"

size_t live_table_nr_sorts(const struct live_table *t)
{
	return t->view == LIVE_FLAME || !t->nr_columns ? 0 : t->nr_columns + t->nr_texts + 1;
}

const char *live_table_sorted_by(const struct live_table *t)
{
	if (t->sorted < t->nr_columns)
		return t->columns[t->sorted].title;
	if (t->sorted < t->nr_columns + t->nr_texts)
		return t->texts[t->sorted - t->nr_columns].title;
	return t->name_title;
}

struct by_choice {
	const struct live_table *table;
	const char *texts;     /* of all rows, one behind the other */
	const size_t *text_at; /* by row */
};

/* Names without the marks before them; what has none stands last. */
static void add_text(const struct live_table *t, const struct live_row *row, struct strbuf *to)
{
	size_t len;

	if (t->sorted < t->nr_columns + t->nr_texts)
		live_table_text(t, row, t->sorted - t->nr_columns, to);
	else if (!row->name && row->frame)
		strbuf_addstr(to, frame_table_name(t->frames, row->frame, &len));
	else
		live_table_name(t, row, to);
}

static int compare_texts(const char *x, const char *y, bool is_inverted)
{
	int c = strcmp(x, y);

	if (!*x || !*y)
		return !*x - !*y;
	return is_inverted ? -c : c;
}

static int by_choice(const void *a, const void *b, void *ctx)
{
	const struct by_choice *by = ctx;
	const struct live_table *t = by->table;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int c;

	if (t->sorted < t->nr_columns)
		c = live_value_compare(t->rows[x].values[t->sorted], t->rows[y].values[t->sorted],
				       (t->columns[t->sorted].kind == LIVE_NUMBER) !=
					       t->is_inverted);
	else
		c = compare_texts(by->texts + by->text_at[x], by->texts + by->text_at[y],
				  t->is_inverted);
	return c ? c : x < y ? -1 : x > y;
}

static void place_rows(struct live_table *t)
{
	_cleanup_free_ size_t *rows = xcalloc(t->nr, sizeof(*rows));
	_cleanup_free_ size_t *places = xcalloc(t->nr, sizeof(*places));
	_cleanup_free_ size_t *text_at = xcalloc(t->nr, sizeof(*text_at));
	_cleanup_strbuf_ struct strbuf texts = STRBUF_INIT;
	struct by_choice by = { t, NULL, text_at };

	for (size_t i = 0; i < t->nr; i++) {
		rows[i] = i;
		text_at[i] = texts.len;
		if (t->sorted >= t->nr_columns) {
			add_text(t, &t->rows[i], &texts);
			strbuf_add(&texts, "", 1);
		}
	}
	by.texts = texts.bytes;
	qsort_r(rows, t->nr, sizeof(*rows), by_choice, &by);
	for (size_t i = 0; i < t->nr; i++)
		places[rows[i]] = i;
	live_table_place(t, places);
}

void live_table_sort(struct live_table *t, const struct live_choice *c)
{
	bool is_flat = t->view == LIVE_FUNCTIONS || t->view == LIVE_MODULES;
	size_t nr = live_table_nr_sorts(t);

	if (!nr)
		return;
	/* Flat tables have been sorted by their numbers already, with their marks of noise. */
	if (is_flat && c->sort < t->nr_columns)
		return;
	t->sorted = (t->sorted + c->sort) % nr;
	if (is_flat)
		t->sorted = c->sort < nr ? c->sort : 0;
	if (t->nr && (c->sort || c->is_inverted))
		place_rows(t);
}
