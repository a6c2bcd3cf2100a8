// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A row is shown only if its parent is, and never has more samples than it, so each filter (share,
 * depth, the N heaviest) is a mark per row set in one forward loop; only marked rows are sorted.
 */
#include "output/tree_rows.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define MIN_JOINED 3 /* nodes: of two, one line would say less than two do */

struct order {
	const struct calltree *tree;
	const struct tree_rows_opts *opts;
	bool *shown;
	row_id *children; /* of row r: children[first[r]] ... children[first[r + 1] - 1] */
	uint32_t *first;
	uint32_t *nr_more; /* by parent */
	uint32_t *next;	   /* by row: how many of its children are done */
	uint32_t *indent;  /* by row that ends a line */
	uint64_t *more;
};

static uint64_t passed(const struct order *o, row_id r)
{
	return calltree_passed(&calltree_counts(o->tree)[r]);
}

static uint64_t self_of(const struct order *o, row_id r)
{
	return calltree_counts(o->tree)[r].self;
}

static int heavier_first(const void *a, const void *b, void *ctx)
{
	row_id x = *(const row_id *)a, y = *(const row_id *)b;
	uint64_t px = passed(ctx, x), py = passed(ctx, y);

	if (px != py)
		return px > py ? -1 : 1;
	return (x > y) - (x < y); /* parents before children: the choice stays a tree */
}

/* Keeps the `limit` heaviest of the shown rows. */
static void keep_heaviest(struct order *o, size_t nr_shown)
{
	size_t nr = calltree_nr_rows(o->tree), n = 0;
	_cleanup_free_ row_id *rows = xcalloc(nr_shown, sizeof(*rows));

	for (row_id r = 1; r < nr; r++)
		if (o->shown[r])
			rows[n++] = r;
	qsort_r(rows, n, sizeof(*rows), heavier_first, o);
	for (size_t i = o->opts->limit; i < n; i++)
		o->shown[rows[i]] = false;
}

static void mark_shown(struct order *o)
{
	const struct calltree_row *rows = calltree_rows(o->tree);
	size_t nr = calltree_nr_rows(o->tree), nr_shown = 0;
	double least = o->opts->min_percent / 100 * calltree_total(o->tree);

	o->shown[ROW_TOP] = true;
	for (row_id r = 1; r < nr; r++) {
		uint64_t samples = passed(o, r);

		o->shown[r] = o->shown[rows[r].parent] && samples && samples >= least &&
			      !(o->opts->depth && rows[r].level > o->opts->depth);
		nr_shown += o->shown[r];
	}
	if (o->opts->limit && nr_shown > o->opts->limit)
		keep_heaviest(o, nr_shown);
}

/* Children of each row by counting; what is hidden right below a shown row is summed up there. */
static void link_children(struct order *o)
{
	const struct calltree_row *rows = calltree_rows(o->tree);
	size_t nr = calltree_nr_rows(o->tree);
	_cleanup_free_ uint32_t *fill = xcalloc(nr, sizeof(*fill));

	for (row_id r = 1; r < nr; r++)
		if (o->shown[r]) {
			o->first[rows[r].parent + 1]++;
		} else if (o->shown[rows[r].parent] && passed(o, r)) {
			o->nr_more[rows[r].parent]++;
			if (__builtin_add_overflow(o->more[rows[r].parent], passed(o, r),
						   &o->more[rows[r].parent]))
				o->more[rows[r].parent] = UINT64_MAX;
		}
	for (row_id r = 0; r < nr; r++) {
		o->first[r + 1] += o->first[r];
		fill[r] = o->first[r];
	}
	o->children = xcalloc(o->first[nr], sizeof(*o->children));
	for (row_id r = 1; r < nr; r++)
		if (o->shown[r])
			o->children[fill[rows[r].parent]++] = r;
}

static int name_cmp(const struct calltree *t, row_id a, row_id b)
{
	const struct frame_table *frames = calltree_frames(t);
	const struct calltree_row *rows = calltree_rows(t);
	size_t a_len, b_len;
	const char *a_name = frame_table_name(frames, rows[a].func, &a_len);
	const char *b_name = frame_table_name(frames, rows[b].func, &b_len);
	int c = memcmp(a_name, b_name, a_len < b_len ? a_len : b_len);

	return c ? c : (a_len > b_len) - (a_len < b_len);
}

static int sibling_cmp(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	const struct calltree_row *rows = calltree_rows(o->tree);
	row_id x = *(const row_id *)a, y = *(const row_id *)b;
	int c;

	if (o->opts->sort_first)
		return (rows[x].first > rows[y].first) - (rows[x].first < rows[y].first);
	if (!rows[x].target != !rows[y].target)
		return rows[x].target ? 1 : -1;
	if (o->opts->sort_self && self_of(o, x) != self_of(o, y))
		return self_of(o, x) > self_of(o, y) ? -1 : 1;
	if (passed(o, x) != passed(o, y))
		return passed(o, x) > passed(o, y) ? -1 : 1;
	c = name_cmp(o->tree, x, y);
	return c ? c : (x > y) - (x < y);
}

static void sort_children(struct order *o)
{
	size_t nr = calltree_nr_rows(o->tree);

	for (row_id r = 0; r < nr; r++) {
		uint32_t n = o->first[r + 1] - o->first[r];

		if (n > 1)
			qsort_r(o->children + o->first[r], n, sizeof(*o->children), sibling_cmp, o);
	}
}

static void order_init(struct order *o)
{
	size_t nr = calltree_nr_rows(o->tree);

	o->shown = xcalloc(nr, sizeof(*o->shown));
	o->first = xcalloc(nr + 1, sizeof(*o->first));
	o->nr_more = xcalloc(nr, sizeof(*o->nr_more));
	o->more = xcalloc(nr, sizeof(*o->more));
	o->next = xcalloc(nr, sizeof(*o->next));
	o->indent = xcalloc(nr, sizeof(*o->indent));
	mark_shown(o);
	link_children(o);
	sort_children(o);
}

static void order_deinit(struct order *o)
{
	free(o->shown);
	free(o->children);
	free(o->first);
	free(o->nr_more);
	free(o->more);
	free(o->next);
	free(o->indent);
}

/* Does the line have more to say than its numbers? */
static bool is_plain(const struct order *o, row_id r)
{
	const struct calltree_counts *c = &calltree_counts(o->tree)[r];

	return !calltree_rows(o->tree)[r].target && !c->recursions && c->places <= 1;
}

static uint8_t origin_of(const struct order *o, row_id r)
{
	return frame_table_get(calltree_frames(o->tree), calltree_rows(o->tree)[r].func)->origin;
}

/* The one that a node can share its line with: its only callee, 0: none. */
static row_id joined_child(const struct order *o, row_id r)
{
	const struct calltree_counts *c = calltree_counts(o->tree);
	row_id child;

	if (!o->opts->join_chains || o->first[r + 1] - o->first[r] != 1 || o->nr_more[r])
		return ROW_TOP;
	child = o->children[o->first[r]];
	if (!is_plain(o, r) || !is_plain(o, child) || self_of(o, r) ||
	    c[r].direct != c[child].direct || c[r].indirect != c[child].indirect ||
	    origin_of(o, r) == FRAME_BASE || origin_of(o, r) != origin_of(o, child))
		return ROW_TOP;
	return child;
}

static void emit_more(const struct order *o, row_id parent, tree_line_fn line, void *ctx)
{
	struct tree_line l = { .parent = parent,
			       .level = calltree_rows(o->tree)[parent].level + 1,
			       .indent = parent == ROW_TOP ? 0 : o->indent[parent] + 1,
			       .nr_more = o->nr_more[parent],
			       .more = o->more[parent] };

	if (l.nr_more)
		line(ctx, &l);
}

/* Emits the line that begins with a row; returns the row that it ends with. */
static row_id emit_line(struct order *o, row_id first, tree_line_fn line, void *ctx)
{
	const struct calltree_row *rows = calltree_rows(o->tree);
	row_id parent = rows[first].parent, last = first;
	struct tree_line l = {
		.first = first,
		.nr_joined = 1,
		.indent = parent == ROW_TOP ? 0 : o->indent[parent] + 1,
		.parent = parent,
		.level = rows[first].level,
	};

	for (row_id r = first; (r = joined_child(o, r));)
		l.nr_joined++;
	if (l.nr_joined < MIN_JOINED)
		l.nr_joined = 1;
	for (uint32_t i = 1; i < l.nr_joined; i++) {
		o->next[last]++; /* it is done */
		last = joined_child(o, last);
	}
	o->indent[last] = l.indent;
	l.row = last;
	line(ctx, &l);
	return last;
}

void tree_rows_walk(const struct calltree *tree, const struct tree_rows_opts *opts,
		    tree_line_fn line, void *ctx)
{
	__attribute__((cleanup(order_deinit))) struct order o = { .tree = tree, .opts = opts };
	const struct calltree_row *rows = calltree_rows(tree);
	row_id at = ROW_TOP;

	order_init(&o);
	for (;;) {
		uint32_t i = o.first[at] + o.next[at];

		if (i < o.first[at + 1]) {
			o.next[at]++;
			at = emit_line(&o, o.children[i], line, ctx);
			continue;
		}
		emit_more(&o, at, line, ctx);
		if (at == ROW_TOP)
			break;
		at = rows[at].parent;
	}
}
