/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What draws parts of a screen: live_screen.c, and a file for each view that is no plain table. */
#ifndef EDDY_LIVE_LIVE_DRAW_H
#define EDDY_LIVE_LIVE_DRAW_H

#include "live/live_screen.h"

struct live_drawing {
	struct live_screen screen;
	size_t at; /* the next line */
};

/* Are there lines left, but for so many below? */
bool live_draw_has_room(const struct live_drawing *d, size_t below);
/* The next line, empty. */
struct live_line *live_draw_line(struct live_drawing *d);
/* A piece of a line without text, valid until the next one is added. */
struct live_span *live_draw_span(struct live_line *line, size_t at, size_t width,
				 enum live_style style);
/* The next line, of one text, cut to fit. */
void live_draw_text(struct live_drawing *d, enum live_style style, const char *text);

/* Titles, or a row, of a table, in the columns from `at` on that the layout was made for. */
void live_draw_titles(struct live_line *line, size_t at, const struct live_table *t,
		      const struct live_layout *l);
void live_draw_row(struct live_line *line, size_t at, const struct live_table *t,
		   const struct live_layout *l, size_t row, enum live_style style);

/* Callers and callees side by side, where there is room for it: false, and nothing was drawn. */
bool live_draw_calls(struct live_drawing *d, struct live_state *s, const struct live_table *t);
void live_draw_flame(struct live_drawing *d, struct live_state *s, const struct live_table *t);

#endif
