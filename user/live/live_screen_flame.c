// SPDX-License-Identifier: GPL-2.0-or-later
/* Bars from the top down, as wide as their samples, each with the beginning of its name. */
#include "live/live_draw.h"
#include "output/flame_layout.h"
#include "util/text_width.h"

/* The column that so many samples are at. */
static size_t column_at(const struct live_table *t, size_t width, uint64_t samples)
{
	return t->across ? (size_t)((double)samples / t->across * width + 0.5) : 0;
}

/* The edge tells bars apart, and the selected one, also where there are no colours. */
static void draw_bar(struct live_line *line, const struct live_table *t, size_t row,
		     const struct live_span *place)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct live_span *bar = live_draw_span(line, place->at, place->width, place->style);

	bar->row = row;
	bar->paint = t->rows[row].paint;
	strbuf_addstr(&bar->text, place->style == LIVE_BAR_CHOSEN ? ">" : "▏");
	live_table_name(t, &t->rows[row], &name);
	if (place->width > 1)
		text_fit_add(&bar->text, name.bytes, name.len, place->width - 1, false);
}

/* What is selected: its name in full, and its numbers. */
static void draw_chosen(struct live_drawing *d, const struct live_table *t, size_t row)
{
	static const char *const kinds[NR_FLAME_PAINTS] = {
		[FLAME_USER] = "user",
		[FLAME_KERNEL] = "kernel",
		[FLAME_JIT] = "compiled at run time",
		[FLAME_INLINED] = "inlined",
		[FLAME_INTERRUPT] = "interrupt",
		[FLAME_BASE] = "no function",
	};
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	live_table_value(t, &t->rows[row], 0, &line);
	strbuf_addstr(&line, " %  ");
	live_table_value(t, &t->rows[row], 1, &line);
	strbuf_addf(&line, "  %s  ", kinds[t->rows[row].paint]);
	live_table_name(t, &t->rows[row], &line);
	live_draw_text(d, LIVE_BOLD, line.bytes);
}

void live_draw_flame(struct live_drawing *d, struct live_state *s, const struct live_table *t)
{
	size_t chosen = s->cursor < t->nr ? s->cursor : 0, first, nr_lines;
	uint32_t level = t->rows[chosen].level;

	if (live_draw_has_room(d, 3))
		draw_chosen(d, t, chosen);
	first = d->at;
	nr_lines = d->screen.height > 1 + first ? d->screen.height - 1 - first : 0;
	s->nr_visible = nr_lines ? nr_lines : 1;
	if (level < s->flame_top)
		s->flame_top = level;
	if (level >= s->flame_top + s->nr_visible)
		s->flame_top = level - s->nr_visible + 1;
	for (size_t i = 0; i < t->nr; i++) {
		const struct live_row *r = &t->rows[i];
		size_t from = column_at(t, d->screen.width, r->at);
		size_t to = column_at(t, d->screen.width, r->at + r->values[1]);

		if (r->level >= s->flame_top && r->level < s->flame_top + nr_lines && to > from)
			draw_bar(&d->screen.lines[first + r->level - s->flame_top], t, i,
				 &(struct live_span){ .at = from,
						      .width = to - from,
						      .style = i == chosen ? LIVE_BAR_CHOSEN
									   : LIVE_BAR });
	}
	d->at = first + nr_lines;
}
