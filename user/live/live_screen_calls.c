// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One function, and below it those that call it to the left of those that it calls.  The table is
 * the one that a narrow screen shows in one column: callers, itself, callees.
 */
#include <string.h>

#include "live/live_draw.h"

#define MIN_WIDTH 100
#define GAP	  2 /* columns between the two */

struct side {
	size_t from, to; /* rows of the table */
	size_t at;	 /* column of the screen */
	size_t *top;	 /* rows above the first that is seen */
	struct live_layout layout;
};

/* The cursor, if it is on this side, is seen. */
static void scroll(struct side *side, size_t cursor, size_t nr_lines)
{
	size_t nr = side->to - side->from, at = cursor - side->from;

	if (*side->top + nr_lines > nr)
		*side->top = nr > nr_lines ? nr - nr_lines : 0;
	if (cursor < side->from || cursor >= side->to)
		return;
	if (at < *side->top)
		*side->top = at;
	if (at >= *side->top + nr_lines)
		*side->top = at - nr_lines + 1;
}

static void draw_title(struct live_line *line, const struct side *side,
		       const struct live_table *half, const char *what)
{
	struct live_table t = *half;

	t.name_title = what;
	live_draw_titles(line, side->at, &t, &side->layout);
}

bool live_draw_calls(struct live_drawing *d, struct live_state *s, const struct live_table *t)
{
	struct live_table half = *t; /* whose rows say by their place what they are */
	size_t width = (d->screen.width - GAP) / 2, head = 0, nr_lines;
	struct side sides[2];
	struct live_layout whole;

	while (head < t->nr && !t->rows[head].is_head)
		head++;
	if (d->screen.width < MIN_WIDTH || head == t->nr || !live_draw_has_room(d, 4))
		return false;
	half.nr_texts = 0;
	sides[0] = (struct side){ .to = head, .top = &s->side_top[0] };
	sides[1] = (struct side){
		.from = head + 1, .to = t->nr, .at = width + GAP, .top = &s->side_top[1]
	};
	live_layout_find(&half, d->screen.width, &whole);
	live_draw_titles(live_draw_line(d), 0, &half, &whole);
	live_draw_row(live_draw_line(d), 0, &half, &whole, head,
		      s->cursor == head ? LIVE_REVERSE : LIVE_BOLD);
	live_layout_find(&half, width, &sides[0].layout);
	sides[1].layout = sides[0].layout;
	draw_title(&d->screen.lines[d->at], &sides[0], &half, "callers");
	draw_title(live_draw_line(d), &sides[1], &half, "callees");
	nr_lines = d->screen.height - 1 - d->at;
	s->nr_visible = nr_lines;
	for (size_t i = 0; i < 2; i++)
		scroll(&sides[i], s->cursor, nr_lines);
	for (size_t y = 0; y < nr_lines; y++) {
		struct live_line *line = live_draw_line(d);

		for (size_t i = 0; i < 2; i++) {
			size_t row = sides[i].from + *sides[i].top + y;

			if (row < sides[i].to)
				live_draw_row(line, sides[i].at, &half, &sides[i].layout, row,
					      row == s->cursor ? LIVE_REVERSE : LIVE_PLAIN);
		}
	}
	return true;
}
