/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A screen as lines of text, of any size: what a terminal shows is decided here. */
#ifndef EDDY_LIVE_LIVE_SCREEN_H
#define EDDY_LIVE_LIVE_SCREEN_H

#include "live/live_state.h"
#include "live/live_text.h"

enum live_style {
	LIVE_PLAIN,
	LIVE_BOLD,
	LIVE_REVERSE,
	LIVE_BAR,	 /* of a flame graph, in the colour of its kind */
	LIVE_BAR_CHOSEN, /* the selected one */
};

/* A piece of a line.  It begins at its column wherever the one before it ends. */
struct live_span {
	struct strbuf text;
	size_t at, width; /* columns: the text takes no more; all of them are its style's */
	size_t row;	  /* of the table, that it is about; LIVE_NO_ROW */
	uint8_t style;	  /* enum live_style */
	uint8_t paint;	  /* of a bar: enum flame_paint */
};

struct live_line {
	struct live_span *spans; /* from left to right, none over another */
	size_t nr, cap;
};

struct live_screen {
	struct live_line *lines; /* [height] */
	size_t width, height;
};

/*
 * Draws the lines of a screen of which width and height are set.  What s knows of the screen is
 * set: nr_visible, is_pair, and what is scrolled.
 */
void live_screen_draw(struct live_state *s, const struct live_table *t,
		      const struct live_status *status, struct live_screen *screen);
void live_screen_deinit(struct live_screen *screen); /* zero-filled is fine */
#define _cleanup_live_screen_ __attribute__((cleanup(live_screen_deinit)))

#define LIVE_NO_ROW SIZE_MAX
/* The row that is shown at a place; LIVE_NO_ROW: none. */
size_t live_screen_row_at(const struct live_screen *screen, size_t x, size_t y);

#endif
