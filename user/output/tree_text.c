// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text form of a call tree.  Columns are as wide as the largest number in the tree needs, known
 * before the first line is written, so that lines can go out as they come.
 */
#include "output/tree_text.h"

#include <inttypes.h>
#include <string.h>

#include "profile/frame_text.h"
#include "util/strbuf.h"
#include "util/text_escape.h"
#include "util/text_width.h"

#define MAX_INDENT 200 /* columns; a tree may be 100 000 levels deep */
#define MIN_NAME   12  /* columns that labels and indent leave to a name */
#define HOT_SHARE  0.1 /* of all samples: printed bold */

#define COLOUR_HOT  "\033[1m"
#define COLOUR_DIM  "\033[2m"
#define COLOUR_NONE "\033[0m"

struct text {
	FILE *out;
	const struct calltree *tree;
	const struct tree_text_opts *opts;
	int direct_width, indirect_width, self_width, level_width;
	size_t name_column; /* where names begin */
	bool seen_indirect, seen_stub, seen_chain;
	struct strbuf name, cut, label;
};

static int nr_digits(uint64_t v)
{
	int n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

static void measure(struct text *t)
{
	const struct calltree_counts *c = calltree_counts(t->tree);
	const struct calltree_row *rows = calltree_rows(t->tree);
	uint64_t direct = 0, indirect = 0, self = 0;
	uint32_t level = 0;
	int cell;

	for (row_id r = 1; r < calltree_nr_rows(t->tree); r++) {
		level = rows[r].level > level ? rows[r].level : level;
		if (rows[r].target)
			continue;
		direct = c[r].direct > direct ? c[r].direct : direct;
		indirect = c[r].indirect > indirect ? c[r].indirect : indirect;
		self = c[r].self > self ? c[r].self : self;
	}
	t->direct_width = t->opts->percent ? 5 : nr_digits(direct);
	t->indirect_width = !indirect ? 0 : t->opts->percent ? 8 : 3 + nr_digits(indirect);
	cell = t->direct_width + t->indirect_width;
	t->direct_width += max_int(0, (int)strlen("total") - cell);
	t->self_width = max_int(strlen("self"), t->opts->percent ? 5 : nr_digits(self));
	t->level_width = max_int(strlen("level"), nr_digits(level));
	t->name_column = t->direct_width + t->indirect_width + t->self_width + t->level_width + 6;
}

static void colour(const struct text *t, const char *code)
{
	if (t->opts->colour)
		fputs(code, t->out);
}

static double share(const struct text *t, const struct tree_line *line, uint64_t samples)
{
	uint64_t whole = calltree_total(t->tree);

	if (t->opts->percent_parent && line->parent != ROW_TOP)
		whole = calltree_passed(&calltree_counts(t->tree)[line->parent]);
	return whole ? 100.0 * samples / whole : 0;
}

/* "6", or "1 (2)": the first numbers stand under each other. */
static void write_passed(struct text *t, const struct tree_line *line,
			 const struct calltree_counts *c)
{
	char indirect[40] = "";

	if (t->opts->percent)
		fprintf(t->out, "%*.1f", t->direct_width, share(t, line, c->direct));
	else
		fprintf(t->out, "%*" PRIu64, t->direct_width, c->direct);
	if (c->indirect && t->opts->percent)
		snprintf(indirect, sizeof(indirect), " (%.1f)", share(t, line, c->indirect));
	else if (c->indirect)
		snprintf(indirect, sizeof(indirect), " (%" PRIu64 ")", c->indirect);
	t->seen_indirect |= c->indirect != 0;
	fprintf(t->out, "%-*s  ", t->indirect_width, indirect);
	if (t->opts->percent)
		fprintf(t->out, "%*.1f  ", t->self_width, share(t, line, c->self));
	else
		fprintf(t->out, "%*" PRIu64 "  ", t->self_width, c->self);
}

static void write_blank(const struct text *t)
{
	fprintf(t->out, "%*s", t->direct_width + t->indirect_width + t->self_width + 4, "");
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* JProfiler's words about a row. */
static void make_label(struct text *t, const struct calltree_row *row,
		       const struct calltree_counts *c)
{
	strbuf_reset(&t->label);
	if (row->target) {
		strbuf_addf(&t->label, "  (%" PRIu64 " sample%s moved)", calltree_passed(c),
			    plural(calltree_passed(c)));
		return;
	}
	if (c->recursions)
		strbuf_addf(&t->label, "  (%u recursion%s", c->recursions, plural(c->recursions));
	if (c->places > 1)
		strbuf_addf(&t->label, "%smerged from %u call paths", c->recursions ? ", " : "  (",
			    c->places);
	if (t->label.len)
		strbuf_addch(&t->label, ')');
}

static size_t indent_of(const struct text *t, size_t indent)
{
	size_t most = MAX_INDENT, room = t->opts->width;

	if (room) {
		room = room > t->name_column ? room - t->name_column : 0;
		most = room > MIN_NAME ? room - MIN_NAME : 0;
	}
	return indent < most ? indent : most;
}

/* The name, cut where it must be, and its label where there is room. */
static void write_name(struct text *t, size_t indent, const struct frame *f, bool is_stub)
{
	const char *mark = frame_origin_mark(f->origin), *before = *mark ? " " : "";
	size_t taken = t->name_column + indent + strlen(before) + strlen(mark) + (is_stub ? 3 : 0);
	size_t width = text_width(t->name.bytes, t->name.len), room = SIZE_MAX;

	if (t->opts->width) {
		room = t->opts->width > taken + MIN_NAME ? t->opts->width - taken : MIN_NAME;
		if (width + t->label.len > room) {
			if (t->label.len + MIN_NAME > room)
				strbuf_reset(&t->label);
			room -= t->label.len;
		}
	}
	strbuf_reset(&t->cut);
	text_fit_add(&t->cut, t->name.bytes, t->name.len, room, t->opts->ascii);
	fwrite(t->cut.bytes, 1, t->cut.len, t->out);
	fprintf(t->out, "%s%s%s", is_stub ? "..." : "", before, mark);
	if (t->label.len) {
		colour(t, COLOUR_DIM);
		fputs(t->label.bytes, t->out);
	}
}

static void write_more(struct text *t, const struct tree_line *line)
{
	colour(t, COLOUR_DIM);
	write_blank(t);
	fprintf(t->out, "%*u  %*s+ %zu more (%.1f %%)", t->level_width, line->level,
		(int)indent_of(t, line->indent), "", line->nr_more, share(t, line, line->more));
}

static void add_function(struct text *t, row_id row)
{
	const frame_id function = calltree_rows(t->tree)[row].func;
	size_t len;
	const char *name = frame_table_name(calltree_frames(t->tree), function, &len);

	text_escape(&t->name, name, len);
	frame_text_add_place(&t->name, calltree_frames(t->tree), function);
}

/* "_start … main" for a chain. */
static void make_name(struct text *t, const struct tree_line *line)
{
	strbuf_reset(&t->name);
	if (line->nr_joined > 1) {
		add_function(t, line->first);
		strbuf_addstr(&t->name, t->opts->ascii ? " ... " : " … ");
		t->seen_chain = true;
	}
	add_function(t, line->row);
}

static void write_row(struct text *t, const struct tree_line *line)
{
	const struct calltree_row *row = &calltree_rows(t->tree)[line->row];
	const struct calltree_counts *c = &calltree_counts(t->tree)[line->row];
	const struct frame *f = frame_table_get(calltree_frames(t->tree), row->func);
	size_t indent = indent_of(t, line->indent);

	make_name(t, line);
	make_label(t, row, c);
	if (row->target) {
		t->seen_stub = true;
		colour(t, COLOUR_DIM);
		write_blank(t);
	} else {
		if (calltree_passed(c) >= HOT_SHARE * calltree_total(t->tree))
			colour(t, COLOUR_HOT);
		write_passed(t, line, c);
	}
	fprintf(t->out, "%*u  %*s", t->level_width, line->level, (int)indent, "");
	write_name(t, indent, f, row->target);
}

static void write_line(void *ctx, const struct tree_line *line)
{
	struct text *t = ctx;

	if (line->row == ROW_TOP)
		write_more(t, line);
	else
		write_row(t, line);
	colour(t, COLOUR_NONE);
	putc('\n', t->out);
}

static void write_foot(const struct text *t)
{
	if (!t->seen_indirect && !t->seen_stub && !t->seen_chain)
		return;
	colour(t, COLOUR_DIM);
	putc('\n', t->out);
	if (t->seen_indirect)
		fputs("1 (2): 1 direct, 2 through collapsed recursion\n", t->out);
	if (t->seen_stub)
		fputs("name...: continues, and is counted, at the same function above\n", t->out);
	if (t->seen_chain)
		fprintf(t->out,
			"a %s b: functions that call one another and nothing else "
			"(-v opens them)\n",
			t->opts->ascii ? "..." : "…");
	colour(t, COLOUR_NONE);
}

void tree_text_write(FILE *out, const struct calltree *tree, const struct tree_text_opts *opts)
{
	struct text t = {
		.out = out,
		.tree = tree,
		.opts = opts,
		.name = STRBUF_INIT,
		.cut = STRBUF_INIT,
		.label = STRBUF_INIT,
	};

	measure(&t);
	if (opts->title)
		fprintf(out, "%s\n\n", opts->title);
	colour(&t, COLOUR_DIM);
	fprintf(out, "%*s  %*s  %*s  name", t.direct_width + t.indirect_width, "total",
		t.self_width, "self", t.level_width, "level");
	colour(&t, COLOUR_NONE);
	putc('\n', out);
	tree_rows_walk(tree, &opts->rows, write_line, &t);
	write_foot(&t);
	strbuf_deinit(&t.name);
	strbuf_deinit(&t.cut);
	strbuf_deinit(&t.label);
}
