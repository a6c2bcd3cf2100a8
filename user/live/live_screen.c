// SPDX-License-Identifier: GPL-2.0-or-later
/* From top to bottom: what the samples are, what is shown, titles, rows, a line for typing. */
#include "live/live_screen.h"

#include <stdlib.h>
#include <string.h>

#include "live/live_draw.h"
#include "util/mem.h"
#include "util/text_escape.h"
#include "util/text_width.h"

#define LOW  10 /* a screen of fewer lines has one line of status */
#define HIGH 20 /* one of more has all of them */

/* ---- lines ---------------------------------------------------------------------------------- */

struct live_line *live_draw_line(struct live_drawing *d)
{
	return &d->screen.lines[d->at++];
}

bool live_draw_has_room(const struct live_drawing *d, size_t below)
{
	return d->at + below < d->screen.height;
}

struct live_span *live_draw_span(struct live_line *line, size_t at, size_t width,
				 enum live_style style)
{
	struct live_span *span;

	array_reserve(line->spans, line->cap, line->nr + 1);
	span = &line->spans[line->nr++];
	*span = (struct live_span){
		.text = STRBUF_INIT, .at = at, .width = width, .style = style, .row = LIVE_NO_ROW
	};
	return span;
}

void live_draw_text(struct live_drawing *d, enum live_style style, const char *text)
{
	struct live_span *span = live_draw_span(live_draw_line(d), 0, d->screen.width, style);

	strbuf_add(&span->text, text, text_fit(text, strlen(text), d->screen.width, NULL));
}

/* What stands before the name and the name, as two pieces, the second at its own column. */
static void draw_pair(struct live_line *line, size_t at, const struct live_layout *l,
		      const struct live_span *pattern, struct strbuf texts[2])
{
	size_t name_at = l->name_at < l->width ? l->name_at : l->width;
	struct live_span *span = live_draw_span(line, at, name_at, pattern->style);

	span->row = pattern->row;
	strbuf_add(&span->text, texts[0].bytes,
		   text_fit(texts[0].bytes, texts[0].len, name_at, NULL));
	span = live_draw_span(line, at + name_at, l->width - name_at, pattern->style);
	span->row = pattern->row;
	strbuf_add(&span->text, texts[1].bytes,
		   text_fit(texts[1].bytes, texts[1].len, span->width, NULL));
	strbuf_deinit(&texts[0]);
	strbuf_deinit(&texts[1]);
}

void live_draw_titles(struct live_line *line, size_t at, const struct live_table *t,
		      const struct live_layout *l)
{
	struct strbuf texts[2] = { STRBUF_INIT, STRBUF_INIT };

	live_layout_titles(t, l, &texts[0], &texts[1]);
	draw_pair(line, at, l, &(struct live_span){ .style = LIVE_REVERSE, .row = LIVE_NO_ROW },
		  texts);
}

void live_draw_row(struct live_line *line, size_t at, const struct live_table *t,
		   const struct live_layout *l, size_t row, enum live_style style)
{
	struct strbuf texts[2] = { STRBUF_INIT, STRBUF_INIT };

	live_layout_row(t, l, row, &texts[0], &texts[1]);
	draw_pair(line, at, l, &(struct live_span){ .style = style, .row = row }, texts);
}

/* ---- a table -------------------------------------------------------------------------------- */

static void put_status(struct live_drawing *d, const struct live_status *status)
{
	size_t nr = d->screen.height < LOW    ? 1
		    : d->screen.height < HIGH ? LIVE_STATUS_LINES
					      : LIVE_MORE_STATUS_LINES;

	for (size_t i = 0; i < nr && live_draw_has_room(d, 1); i++) {
		_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

		live_status_line(status, i, d->screen.width, &line);
		if (line.len)
			live_draw_text(d, i ? LIVE_PLAIN : LIVE_BOLD, line.bytes);
	}
}

static void add_window(const struct live_state *s, struct strbuf *to)
{
	if (s->is_decayed) {
		strbuf_addf(to, "  half-life %.4g s", live_state_half_life_s(s));
		return;
	}
	if (s->window_s < 0)
		return;
	if (s->window_s > 0)
		strbuf_addf(to, "  window %.4g s", s->window_s);
	else
		strbuf_addstr(to, "  all samples");
}

/* "functions  irq split  window 10 s  kernel hidden  [paused]" */
static void put_choice(struct live_drawing *d, const struct live_state *s,
		       const struct live_table *t)
{
	static const char *const irq[] = { "split", "keep", "charge", "drop" };
	bool is_list = t->view == LIVE_FUNCTIONS || t->view >= LIVE_PROCESSES;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&line, live_view_names[s->choice.view]);
	if (s->is_paused)
		strbuf_addstr(&line, "  [paused]");
	if (s->is_live && s->to)
		strbuf_addstr(&line, "  [past]");
	if (t->title)
		strbuf_addf(&line, "  %s", t->title);
	if (live_table_nr_sorts(t) && (s->choice.sort || t->is_inverted || is_list))
		strbuf_addf(&line, "  by %s%s", live_table_sorted_by(t),
			    !t->is_inverted		? ""
			    : t->sorted < t->nr_columns ? ", least first"
							: ", backwards");
	if (s->is_following)
		strbuf_addstr(&line, "  [follows]");
	if (s->choice.module) {
		strbuf_addstr(&line, "  module ");
		text_escape(&line, s->choice.module, strlen(s->choice.module));
	}
	add_window(s, &line);
	if (s->choice.hide_kernel)
		strbuf_addstr(&line, "  kernel hidden");
	if (s->choice.hide_user)
		strbuf_addstr(&line, "  user hidden");
	if (s->choice.filter) {
		strbuf_addstr(&line, "  filter ");
		text_escape(&line, s->choice.filter, strlen(s->choice.filter));
	}
	strbuf_addf(&line, "  irq %s", irq[s->irq]);
	live_draw_text(d, LIVE_PLAIN, line.bytes);
}

/* The selected row is one of those that are seen. */
static void scroll(struct live_state *s)
{
	if (s->cursor < s->top)
		s->top = s->cursor;
	if (s->cursor >= s->top + s->nr_visible)
		s->top = s->cursor - s->nr_visible + 1;
}

static void put_rows(struct live_drawing *d, struct live_state *s, const struct live_table *t)
{
	struct live_layout l;

	live_layout_find(t, d->screen.width, &l);
	if (live_draw_has_room(d, 1))
		live_draw_titles(live_draw_line(d), 0, t, &l);
	s->nr_visible = d->at + 1 < d->screen.height ? d->screen.height - 1 - d->at : 1;
	scroll(s);
	for (size_t i = s->top; i < t->nr && live_draw_has_room(d, 1); i++)
		live_draw_row(live_draw_line(d), 0, t, &l, i,
			      i == s->cursor	   ? LIVE_REVERSE
			      : t->rows[i].is_head ? LIVE_BOLD
						   : LIVE_PLAIN);
	if (!t->nr && live_draw_has_room(d, 1))
		live_draw_text(d, LIVE_PLAIN, t->total ? "nothing to show here" : "no samples");
}

static void put_body(struct live_drawing *d, struct live_state *s, const struct live_table *t)
{
	s->is_pair = t->view == LIVE_CALLS && live_draw_calls(d, s, t);
	if (t->view == LIVE_FLAME && t->nr)
		live_draw_flame(d, s, t);
	else if (!s->is_pair)
		put_rows(d, s, t);
	scroll(s);
}

static void put_foot(struct live_drawing *d, const struct live_state *s, const struct live_table *t)
{
	static const char *const prompts[] = { [LIVE_SEARCH] = "search: ",
					       [LIVE_FILTER] = "filter: ",
					       [LIVE_TIME] = "jump to (as 03:12): " };
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	d->at = d->screen.height - 1;
	if (s->prompt) {
		strbuf_addstr(&line, prompts[s->prompt]);
		text_escape(&line, s->typed, strlen(s->typed));
		strbuf_addch(&line, '_');
	} else if (s->is_help) {
		strbuf_addstr(&line, "j k move, any other key closes this page");
	} else if (s->is_page) {
		strbuf_addf(&line, "%zu-%zu/%zu  j k move  Esc back  q quit", s->page_top + 1,
			    s->page_top + s->nr_visible < s->nr_page ? s->page_top + s->nr_visible
								     : s->nr_page,
			    s->nr_page);
	} else if (*s->message) {
		text_escape(&line, s->message, strlen(s->message));
	} else {
		strbuf_addf(&line, "%zu/%zu  ? help  q quit  Tab view  Enter calls  / search",
			    t->nr ? s->cursor + 1 : 0, t->nr);
	}
	live_draw_text(d, LIVE_PLAIN, line.bytes);
}

static void put_help(struct live_drawing *d, struct live_state *s)
{
	size_t nr, room = d->screen.height - 1;
	const char *const *lines = live_state_help(s->is_live, &nr);

	if (s->help_top + room > nr)
		s->help_top = nr > room ? nr - room : 0;
	for (size_t i = s->help_top; i < nr && live_draw_has_room(d, 1); i++)
		live_draw_text(d, LIVE_PLAIN, lines[i]);
}

static void put_page(struct live_drawing *d, struct live_state *s)
{
	size_t room = d->screen.height - 1;

	s->nr_visible = room ? room : 1;
	if (s->page_top + room > s->nr_page)
		s->page_top = s->nr_page > room ? s->nr_page - room : 0;
	for (size_t i = s->page_top; i < s->nr_page && live_draw_has_room(d, 1); i++)
		live_draw_text(d, i ? LIVE_PLAIN : LIVE_BOLD, s->page[i]);
}

void live_screen_draw(struct live_state *s, const struct live_table *t,
		      const struct live_status *status, struct live_screen *screen)
{
	struct live_drawing d = { .screen = *screen };
	size_t height = screen->height;

	d.screen.lines = xcalloc(height, sizeof(*d.screen.lines));
	if (s->is_help) {
		put_help(&d, s);
	} else if (s->is_page) {
		put_page(&d, s);
	} else {
		put_status(&d, status);
		if (height >= LOW && live_draw_has_room(&d, 1))
			put_choice(&d, s, t);
		put_body(&d, s, t);
	}
	if (height)
		put_foot(&d, s, t);
	*screen = d.screen;
}

void live_screen_deinit(struct live_screen *screen)
{
	for (size_t y = 0; screen->lines && y < screen->height; y++) {
		struct live_line *line = &screen->lines[y];

		for (size_t i = 0; i < line->nr; i++)
			strbuf_deinit(&line->spans[i].text);
		free(line->spans);
	}
	free(screen->lines);
	*screen = (struct live_screen){ 0 };
}

size_t live_screen_row_at(const struct live_screen *screen, size_t x, size_t y)
{
	const struct live_line *line = y < screen->height ? &screen->lines[y] : NULL;

	for (size_t i = 0; line && i < line->nr; i++)
		if (x >= line->spans[i].at && x < line->spans[i].at + line->spans[i].width)
			return line->spans[i].row;
	return LIVE_NO_ROW;
}
