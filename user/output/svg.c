// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The font is the reader's own, monospaced, so that a text's width is known here by its columns.
 * Colours are told apart by colour-blind people too (hues of Okabe and Ito), and named beside.
 */
#include "output/svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/text_width.h"

#define COLUMN_PX     7.25 /* of a 12 px monospaced font: 0.6 em, the widest a little more */
#define ROW_PX	      17
#define MARGIN_PX     10
#define HEAD_PX	      52 /* two lines */
#define FOOT_PX	      22 /* a line of what was left out */
#define TEXT_PAD_PX   3
#define MIN_WIDTH_PX  800
#define MAX_WIDTH_PX  1800
#define GAP_PX	      0.5 /* between neighbours */
#define MIN_BOX_PX    0.3
#define MIN_COLUMNS   3	   /* that a text is worth */
#define NAMED_SHARE   0.1  /* a box of that much should have room for its name, */
#define NAMED_COLUMNS 24   /* or for that much of it */
#define TITLE_COLUMNS 1000 /* of a name */

struct svg {
	FILE *to;
	struct flame_layout layout;
	const struct svg_style *style;
	double width, px; /* of the graph, and of one sample */
	uint64_t least;	  /* that a box has, to be drawn */
	uint32_t nr_rows;
	uint64_t nr_left_out;
};

static const struct svg_paint paints[NR_FLAME_PAINTS] = {
	[FLAME_USER] = { "user", "#f5cc84" },
	[FLAME_KERNEL] = { "kernel", "#94c4e6" },
	[FLAME_INTERRUPT] = { "interrupt", "#e0aece" },
	[FLAME_JIT] = { "JIT", "#8cd9c4" },
	[FLAME_INLINED] = { "inlined", "#f8f296" },
	[FLAME_BASE] = { "process or mark", "#dcdde0" },
};

/* U+FFFE and U+FFFF, which no XML may hold. */
static bool is_noncharacter(const char *text, size_t len)
{
	return len >= 3 && (!memcmp(text, "\xef\xbf\xbe", 3) || !memcmp(text, "\xef\xbf\xbf", 3));
}

/* Text is UTF-8 without control characters: frame_text_add() makes it so. */
static void put_text(FILE *to, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (is_noncharacter(text + i, len - i)) {
			fprintf(to, "\\xef\\xbf\\x%02x", (unsigned char)text[i + 2]);
			i += 2;
		} else if (text[i] == '<') {
			fputs("&lt;", to);
		} else if (text[i] == '>') {
			fputs("&gt;", to);
		} else if (text[i] == '&') {
			fputs("&amp;", to);
		} else {
			putc(text[i], to);
		}
	}
}

/* As much of the text as columns hold, the last one "…" where there is more. */
static void put_fitted(FILE *to, const char *text, size_t len, size_t columns)
{
	size_t fit = text_fit(text, len, columns, NULL);

	if (fit < len)
		fit = text_fit(text, len, columns - 1, NULL);
	put_text(to, text, fit);
	if (fit < len)
		fputs("…", to);
}

static double percent(const struct svg *s, uint64_t nr)
{
	return 100.0 * nr / profile_total(s->layout.p);
}

/* ---- sizes --------------------------------------------------------------------------------- */

static double columns_px(double columns)
{
	return columns * COLUMN_PX + 2 * TEXT_PAD_PX;
}

/* Pixels that the graph needs so that what has a share worth it shows its name. */
static double find_width(const struct flame_layout *l)
{
	uint64_t total = profile_total(l->p);
	double width = MIN_WIDTH_PX;

	for (node_id n = 1; n < profile_nr_nodes(l->p); n++) {
		double share = total ? (double)l->sum[n] / total : 0, need;
		size_t len, columns;
		const char *text = flame_layout_text(l, n, &len);

		if (share < NAMED_SHARE)
			continue;
		text_fit(text, len, NAMED_COLUMNS, &columns);
		need = columns_px(columns) / share;
		width = need > width ? need : width;
	}
	return width < MAX_WIDTH_PX ? width : MAX_WIDTH_PX;
}

static bool is_drawn(const struct svg *s, node_id n)
{
	return s->layout.sum[n] >= s->least && s->layout.depth[n] < s->nr_rows;
}

/* What is drawn: rows from below as far as that is not too much, in them what can be seen. */
static void find_boxes(struct svg *s)
{
	const struct flame_layout *l = &s->layout;
	size_t nr = profile_nr_nodes(l->p), nr_in_row[SVG_MAX_ROWS] = { 0 }, nr_boxes = 0;

	s->least = (uint64_t)(MIN_BOX_PX / s->px);
	s->least += !s->least;
	for (node_id n = 0; n < nr; n++)
		if (l->sum[n] >= s->least && l->depth[n] < SVG_MAX_ROWS)
			nr_in_row[l->depth[n]]++;
	while (s->nr_rows < SVG_MAX_ROWS && nr_in_row[s->nr_rows] &&
	       nr_boxes + nr_in_row[s->nr_rows] <= SVG_MAX_BOXES)
		nr_boxes += nr_in_row[s->nr_rows++];
	for (node_id n = 0; n < nr; n++)
		s->nr_left_out += l->sum[n] && !is_drawn(s, n);
}

/* ---- the picture --------------------------------------------------------------------------- */

static const struct svg_paint *paint_of(const struct svg *s, node_id n)
{
	const struct svg_style *style = s->style;

	return &style->paints[style->paint_of(style->ctx, &s->layout, n)];
}

static void put_box(const struct svg *s, node_id n)
{
	const struct flame_layout *l = &s->layout;
	double x = MARGIN_PX + l->at[n] * s->px, width = l->sum[n] * s->px;
	double gap = width > 4 * GAP_PX ? GAP_PX : 0;
	unsigned int y = HEAD_PX + (s->nr_rows - 1 - l->depth[n]) * ROW_PX;
	double columns = (width - 2 * TEXT_PAD_PX) / COLUMN_PX;
	size_t len;
	const char *text = flame_layout_text(l, n, &len);

	fputs("<g><title>", s->to);
	put_fitted(s->to, text, len, TITLE_COLUMNS);
	putc('\n', s->to);
	s->style->put_facts(s->to, s->style->ctx, l, n);
	fprintf(s->to,
		"</title><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", x,
		y, width - gap, ROW_PX - 1, paint_of(s, n)->fill);
	if (columns >= MIN_COLUMNS) {
		fprintf(s->to, "<text x=\"%.1f\" y=\"%u\">", x + TEXT_PAD_PX, y + 12);
		put_fitted(s->to, text, len, (size_t)columns);
		fputs("</text>", s->to);
	}
	fputs("</g>\n", s->to);
}

/* The colours that are there, with their names. */
static void put_legend(const struct svg *s)
{
	const struct svg_paint *all = s->style->paints;
	bool is_there[SVG_MAX_PAINTS] = { false };
	double x = MARGIN_PX;

	for (node_id n = 1; n < profile_nr_nodes(s->layout.p); n++)
		is_there[paint_of(s, n) - all] |= is_drawn(s, n);
	for (size_t i = 0; i < s->style->nr_paints; i++) {
		if (!is_there[i])
			continue;
		fprintf(s->to,
			"<rect x=\"%.1f\" y=\"30\" width=\"12\" height=\"12\" fill=\"%s\"/>"
			"<text x=\"%.1f\" y=\"40\">%s</text>\n",
			x, all[i].fill, x + 16, all[i].name);
		x += 16 + columns_px((double)strlen(all[i].name) + 2);
	}
}

static void put_head(const struct svg *s)
{
	unsigned int width = s->width + 2 * MARGIN_PX;
	unsigned int height = HEAD_PX + s->nr_rows * ROW_PX + FOOT_PX;
	const char *title = s->style->title;

	fprintf(s->to,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\" font-family=\"monospace\" font-size=\"12\" "
		"role=\"img\">\n<title>Flame graph of ",
		width, height, width, height);
	put_text(s->to, title, strlen(title));
	fprintf(s->to,
		"</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		"<text x=\"%d\" y=\"20\">",
		MARGIN_PX);
	put_fitted(s->to, title, strlen(title), (size_t)(s->width / COLUMN_PX));
	fputs("</text>\n", s->to);
}

static void put_foot(const struct svg *s)
{
	if (!s->nr_left_out)
		return;
	fprintf(s->to,
		"<text x=\"%d\" y=\"%u\">%" PRIu64 " boxes are not drawn: below %" PRIu64
		" %s (%.3f %%) or above row %u</text>\n",
		MARGIN_PX, HEAD_PX + s->nr_rows * ROW_PX + 14, s->nr_left_out, s->least,
		s->style->counted, percent(s, s->least), s->nr_rows);
}

void svg_picture_write(FILE *to, const struct profile *p, const struct writer_opts *opts,
		       const struct svg_style *style)
{
	struct svg s = { .to = to, .style = style };
	uint64_t total = profile_total(p);

	flame_layout_init(&s.layout, p, opts, style->keeps_nodes);
	s.width = find_width(&s.layout);
	s.px = total ? s.width / total : 0;
	if (total)
		find_boxes(&s);
	put_head(&s);
	if (total)
		put_legend(&s);
	for (node_id n = 0; total && n < profile_nr_nodes(s.layout.p); n++)
		if (is_drawn(&s, n))
			put_box(&s, n);
	put_foot(&s);
	fputs("</svg>\n", to);
	flame_layout_deinit(&s.layout);
}

/* ---- of one profile ------------------------------------------------------------------------ */

static size_t paint_of_code(const void *ctx, const struct flame_layout *l, node_id n)
{
	(void)ctx;
	return l->paint[n];
}

static void put_counts(FILE *to, const void *ctx, const struct flame_layout *l, node_id n)
{
	const char *counted = ctx;
	const uint64_t self = profile_self(l->p, n), total = profile_total(l->p);

	fprintf(to, "%" PRIu64 " %s, %.2f %%", l->sum[n], counted, 100.0 * l->sum[n] / total);
	if (self)
		fprintf(to, "; self %" PRIu64 ", %.2f %%", self, 100.0 * self / total);
}

static int svg_write(FILE *to, const struct profile *p, const struct writer_opts *opts,
		     struct diag *ret_diag)
{
	const char *counted = opts->facts.is_time      ? "microseconds"
			      : opts->facts.is_weighed ? "events"
						       : "samples";
	_cleanup_free_ char *title = xasprintf("%" PRIu64 " %s", profile_total(p), counted);
	const struct svg_style style = {
		.paints = paints,
		.nr_paints = NR_FLAME_PAINTS,
		.paint_of = paint_of_code,
		.put_facts = put_counts,
		.ctx = counted,
		.title = title,
		.counted = counted,
	};

	(void)ret_diag;
	svg_picture_write(to, p, opts, &style);
	return 0;
}

const struct writer svg_writer = { "svg", ".svg", svg_write };
