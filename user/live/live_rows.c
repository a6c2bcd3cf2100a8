// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables that are not of the call graph: the call tree, and interrupts. */
#include "live/live_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/irq_rows.h"
#include "output/tree_rows.h"
#include "util/hash.h"
#include "util/mem.h"

/* ---- the tree ------------------------------------------------------------------------------- */

enum { TREE_PASSED, TREE_SELF, TREE_SAMPLES, TREE_AGAIN };

static const struct live_column tree_columns[] = {
	{ "total %", 7, LIVE_PERCENT, 0 },
	{ "self %", 6, LIVE_PERCENT, 0 },
	{ "samples", 8, LIVE_SAMPLES, 1 },
	{ "folded", 8, LIVE_COUNT, 2 },
};

struct tree_lines {
	const struct calltree *tree;
	struct live_table *table;
	const struct live_folds *folds;
	uint64_t
		*keys; /* by level, of the rows that lead to the last one: of the functions there */
	size_t cap;
	uint32_t folded; /* the level of a row below which nothing is shown; 0: all is */
};

/* A row is the same one, in any generation, that the same functions lead to. */
static uint64_t line_key(struct tree_lines *lines, const struct tree_line *line)
{
	const struct calltree_row *r = &calltree_rows(lines->tree)[line->row];
	uint64_t above = line->level > 1 ? lines->keys[line->level - 1] : 1, key;

	key = line->row == ROW_TOP ? hash_mix(above, UINT64_MAX)
				   : hash_mix(above, (uint64_t) !!r->target << 32 | r->func);
	array_reserve(lines->keys, lines->cap, line->level + 1);
	lines->keys[line->level] = key;
	return key;
}

/* Is it below a row that is folded?  That row is told that it has something to show. */
static bool is_in_fold(struct tree_lines *lines, const struct tree_line *line)
{
	struct live_table *t = lines->table;

	if (!lines->folded || line->level <= lines->folded) {
		lines->folded = 0;
		return false;
	}
	t->rows[t->nr - 1].is_folded = true;
	return true;
}

static void more_row(struct live_table *t, const struct tree_line *line, uint64_t key)
{
	struct live_row *row = live_row_add(t, key);
	char text[48];

	snprintf(text, sizeof(text), "+ %zu more", line->nr_more);
	row->level = line->level - 1;
	row->name = live_text_add(t, text, strlen(text));
}

static void tree_row(void *ctx, const struct tree_line *line)
{
	struct tree_lines *lines = ctx;
	const struct calltree *tree = lines->tree;
	struct live_table *t = lines->table;
	const struct calltree_row *r = &calltree_rows(tree)[line->row];
	const struct calltree_counts *c = &calltree_counts(tree)[line->row];
	struct live_row *row;
	uint64_t key = line_key(lines, line);

	if (is_in_fold(lines, line))
		return;
	if (live_folds_has(lines->folds, key))
		lines->folded = line->level;
	if (line->row == ROW_TOP) {
		more_row(t, line, key);
		return;
	}
	row = live_row_add(t, key);
	row->frame = r->func;
	row->level = line->level - 1;
	row->values[TREE_PASSED] = row->values[TREE_SAMPLES] = calltree_passed(c);
	if (!r->target)
		row->values[TREE_SELF] = c->self;
	if (!r->target && c->recursions)
		row->values[TREE_AGAIN] = c->recursions;
	if (r->target) {
		row->name = live_name_add(t, r->func);
		/* The NUL makes way. */
		t->text.len--;
		strbuf_addstr(&t->text, "...");
		strbuf_add(&t->text, "", 1);
	}
}

void live_tree_rows(struct live_analysis *a, const struct profile *shown,
		    const struct live_choice *c, struct live_table *t)
{
	static const char *const degrees[] = { "recursion shown as it is",
					       "recursion collapsed: direct",
					       "recursion collapsed: conservative",
					       "recursion collapsed: full" };
	const struct tree_rows_opts opts = { .min_percent = c->min_percent, .limit = c->limit };
	struct tree_lines lines = { .table = t, .folds = c->folds };

	if (a->tree && a->degree != c->degree)
		calltree_free(take_ptr(a->tree));
	if (a->tree)
		calltree_refresh(a->tree, shown);
	else
		a->tree = calltree_new(shown, c->degree);
	a->degree = c->degree;
	t->columns = tree_columns;
	t->nr_columns = ARRAY_SIZE(tree_columns);
	t->name_title = "call tree";
	t->title = xstrdup(degrees[c->degree]);
	lines.tree = a->tree;
	tree_rows_walk(a->tree, &opts, tree_row, &lines);
	free(lines.keys);
	t->nr_all = t->nr;
}

/* ---- interrupts ----------------------------------------------------------------------------- */

static const struct live_column irq_columns[] = {
	{ "samples %", 9, LIVE_PERCENT, 0 },
	{ "samples", 8, LIVE_SAMPLES, 2 },
};
static const struct live_column irq_texts[] = {
	{ "class", 7, 0, 0 },
	{ "victim", 16, 0, 1 },
	{ "entry", 30, 0, 3 },
};

static size_t string_add(struct live_table *t, const struct frame_table *frames, str_id id)
{
	size_t len;
	const char *s = frame_table_str(frames, id, &len);

	return live_text_add(t, s, len);
}

/* Of the stacks before any pass: a pass takes the victim away. */
void live_irq_rows(const struct profile *raw, struct live_table *t)
{
	const struct frame_table *frames = profile_frames(raw);
	_cleanup_irq_map_ struct irq_map *map = irq_map_new(raw);
	_cleanup_irq_rows_ struct irq_rows rows = { 0 };

	irq_rows_collect(map, IRQ_BY_ALL, &rows);
	t->total = profile_total(raw);
	t->columns = irq_columns;
	t->nr_columns = ARRAY_SIZE(irq_columns);
	t->texts = irq_texts;
	t->nr_texts = ARRAY_SIZE(irq_texts);
	t->name_title = "handler";
	t->nr_all = rows.nr;
	for (size_t i = 0; i < rows.nr; i++) {
		const struct irq_row *from = &rows.rows[i];
		const char *class = irq_class_name(from->class);
		/* Names in one table of strings: 20 bits of each tell rows apart well enough. */
		struct live_row *row =
			live_row_add(t, (uint64_t)from->class << 60 ^ (uint64_t)from->entry << 40 ^
						(uint64_t)from->handler << 20 ^ from->victim);

		row->values[0] = row->values[1] = from->samples;
		row->texts[0] = live_text_add(t, class, strlen(class));
		row->texts[1] = string_add(t, frames, from->victim);
		row->texts[2] = string_add(t, frames, from->entry);
		row->name = string_add(t, frames, from->handler);
	}
}
