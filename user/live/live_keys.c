// SPDX-License-Identifier: GPL-2.0-or-later
/* One function a kind of key; which keys there are stands in live_help.c too. */
#include "live/live_keys.h"

#include <stdlib.h>
#include <string.h>

#include "live/live_cursor.h"
#include "live/live_flame.h"
#include "util/mem.h"

static const double windows_s[] = { 1, 2, 5, 10, 30, 60, 300, 600, 0 };

/* ---- views and windows ---------------------------------------------------------------------- */

static unsigned int use_view(struct live_state *s, enum live_view view)
{
	enum live_view before = s->choice.view;

	s->choice.view = view;
	s->choice.sort = 0; /* columns and rows of another table mean nothing here */
	s->cursor = s->top = 0;
	free(take_ptr(s->name));
	s->key = UINT64_MAX;
	return LIVE_DRAW | LIVE_TABLE | (live_views_share_passes(before, view) ? 0 : LIVE_PASSES);
}

static unsigned int zoom_flame(struct live_state *s, const struct live_table *t)
{
	size_t old = s->choice.nr_zoom;

	if (s->cursor >= t->nr || t->rows[s->cursor].level > LIVE_MAX_ZOOM)
		return 0;
	s->choice.nr_zoom = live_flame_path(t, s->cursor, s->zoom);
	s->choice.zoom = s->zoom;
	/* Esc leads outward: who zooms out past an earlier zoom does not come back to it. */
	while (s->nr_zooms && s->zooms[s->nr_zooms - 1] >= s->choice.nr_zoom)
		s->nr_zooms--;
	if (old < s->choice.nr_zoom && s->nr_zooms < LIVE_MAX_ZOOMED)
		s->zooms[s->nr_zooms++] = old;
	return LIVE_DRAW | LIVE_TABLE;
}

/* The functions of one module. */
static unsigned int zoom_module(struct live_state *s, const struct live_table *t)
{
	size_t len;
	const char *name = s->cursor < t->nr
				   ? frame_table_name(t->frames, t->rows[s->cursor].frame, &len)
				   : NULL;

	if (!name || len >= sizeof(s->module))
		return 0;
	memcpy(s->module, name, len + 1);
	s->choice.module = s->module;
	return use_view(s, LIVE_FUNCTIONS);
}

static unsigned int annotate(struct live_state *s, const struct live_table *t)
{
	frame_id frame = s->cursor < t->nr ? t->rows[s->cursor].frame : FRAME_NONE;

	if (!frame || frame_table_get(t->frames, frame)->origin == FRAME_BASE)
		return 0;
	s->is_page = true;
	s->page = NULL;
	s->nr_page = s->page_top = 0;
	return LIVE_ANNOTATE | LIVE_DRAW;
}

static unsigned int zoom(struct live_state *s, const struct live_table *t)
{
	if (s->choice.view == LIVE_FLAME)
		return zoom_flame(s, t);
	if (s->choice.view == LIVE_MODULES)
		return zoom_module(s, t);
	if (s->cursor >= t->nr || !t->rows[s->cursor].frame || s->choice.view == LIVE_PROCESSES)
		return 0;
	if (s->choice.view == LIVE_CALLS && t->rows[s->cursor].is_head)
		return annotate(s, t);
	if (s->choice.view != LIVE_CALLS)
		s->before = s->choice.view;
	s->choice.of = NULL;
	s->choice.of_frame = t->rows[s->cursor].frame;
	return use_view(s, LIVE_CALLS);
}

static unsigned int back(struct live_state *s)
{
	if (s->choice.view == LIVE_FLAME && s->choice.nr_zoom) {
		s->choice.nr_zoom = s->nr_zooms ? s->zooms[--s->nr_zooms] : 0;
		return LIVE_DRAW | LIVE_TABLE;
	}
	if (s->choice.module) {
		s->choice.module = NULL;
		return use_view(s, LIVE_MODULES);
	}
	if (*s->filter) {
		*s->filter = '\0';
		s->choice.filter = NULL;
		return LIVE_DRAW | LIVE_TABLE;
	}
	if (s->choice.view == LIVE_CALLS)
		return use_view(s, s->before);
	if (s->is_live && s->to) {
		s->to = 0;
		return LIVE_DRAW | LIVE_TABLE;
	}
	return 0;
}

static unsigned int other_window(struct live_state *s, bool longer)
{
	size_t nr = ARRAY_SIZE(windows_s), at = 0;

	/* The smallest that is not shorter. */
	while (at + 1 < nr && (!s->window_s || windows_s[at] < s->window_s))
		at++;
	if (longer && at + 1 < nr && s->window_s > 0)
		at++;
	else if (!longer && at)
		at--;
	s->window_s = windows_s[at];
	return LIVE_DRAW | LIVE_TABLE;
}

static unsigned int step(struct live_state *s, bool back_)
{
	size_t at = s->to ? s->to : s->nr;

	if (back_ ? at <= 1 : at >= s->nr)
		return 0;
	s->to = back_ ? at - 1 : at + 1;
	if (s->is_live && s->to == s->nr)
		s->to = 0; /* the newest interval again, and those that come */
	return LIVE_DRAW | LIVE_TABLE;
}

static unsigned int sort_next(struct live_state *s, const struct live_table *t)
{
	if (!live_table_nr_sorts(t))
		return 0;
	s->choice.sort = (s->choice.sort + 1) % live_table_nr_sorts(t);
	s->sorts_once = true;
	return LIVE_DRAW | LIVE_TABLE;
}

static unsigned int toggle(bool *flag)
{
	*flag = !*flag;
	return LIVE_DRAW | LIVE_TABLE;
}

/* Opens or folds the selected row; what is folded already leads to the row above it. */
static unsigned int fold(struct live_state *s, const struct live_table *t, bool folds)
{
	struct live_folds *of = s->choice.view == LIVE_TREE ? &s->folds : &s->tasks;
	size_t row = s->cursor;
	bool has_below;

	if (row >= t->nr)
		return 0;
	has_below = row + 1 < t->nr && t->rows[row + 1].level > t->rows[row].level;
	if ((folds ? has_below : t->rows[row].is_folded) &&
	    live_folds_set(of, t->rows[row].key, folds))
		return LIVE_DRAW | LIVE_TABLE;
	while (folds && row && t->rows[row].level >= t->rows[s->cursor].level)
		row--;
	if (row == s->cursor || t->rows[row].level >= t->rows[s->cursor].level)
		return 0;
	live_state_select(s, t, row);
	return LIVE_DRAW;
}

static unsigned int fold_key(struct live_state *s, const struct live_table *t, uint32_t key)
{
	if (s->choice.view != LIVE_TREE && s->choice.view != LIVE_PROCESSES)
		return 0;
	switch (key) {
	case '+':
	case '=':
	case LIVE_KEY_RIGHT:
		return fold(s, t, false);
	case '-':
	case LIVE_KEY_LEFT:
		return fold(s, t, true);
	case 'E':
	case 'C':
		live_folds_set_all(s->choice.view == LIVE_TREE ? &s->folds : &s->tasks, key == 'C');
		return LIVE_DRAW | LIVE_TABLE;
	}
	return 0;
}

/* Keys that change what is shown. */
static unsigned int choice_key(struct live_state *s, const struct live_table *t, uint32_t key)
{
	switch (key) {
	case 's':
	case LIVE_KEY_SORT:
		return sort_next(s, t);
	case 'S':
		s->sorts_once = true;
		return LIVE_DRAW | LIVE_TABLE;
	case 'K':
		return toggle(&s->choice.hide_kernel);
	case 'U':
		return toggle(&s->choice.hide_user);
	case 'i':
		s->irq = (s->irq + 1) % 4;
		return LIVE_DRAW | LIVE_TABLE | LIVE_PASSES;
	case 'r':
		if (s->choice.view != LIVE_TREE)
			return 0;
		s->choice.degree = (s->choice.degree + 1) % NR_COLLAPSE_DEGREES;
		return LIVE_DRAW | LIVE_TABLE;
	case 'I':
		s->sorts_once = true;
		return toggle(&s->choice.is_inverted);
	case 'e':
		return toggle(&s->is_decayed);
	case 'F':
		s->is_following = !s->is_following;
		return LIVE_DRAW;
	case 't':
		return use_view(s, LIVE_THREADS);
	case 'd':
		return use_view(s, LIVE_MODULES);
	case 'p':
		return use_view(s, LIVE_PROCESSES);
	case LIVE_KEY_TAB:
		return use_view(s, (s->choice.view + 1) % NR_LIVE_VIEWS);
	case '<':
		return other_window(s, false);
	case '>':
		return other_window(s, true);
	case '[':
		return step(s, true);
	case ']':
		return step(s, false);
	}
	if (key >= '1' && key < '1' + NR_LIVE_VIEWS)
		return use_view(s, key - '1');
	return 0;
}

/* ---- a page ---------------------------------------------------------------------------------- */

static unsigned int page_key(struct live_state *s, uint32_t key)
{
	size_t page = s->nr_visible ? s->nr_visible : 1, top = s->page_top;

	switch (key) {
	case 'q':
		return LIVE_QUIT;
	case LIVE_KEY_ESCAPE:
	case LIVE_KEY_ENTER:
	case 'a':
		s->is_page = false;
		return LIVE_DRAW | LIVE_TABLE | LIVE_ANNOTATE;
	case 'j':
	case LIVE_KEY_DOWN:
		top++;
		break;
	case 'k':
	case LIVE_KEY_UP:
		top -= top != 0;
		break;
	case ' ':
	case LIVE_KEY_PAGE_DOWN:
		top += page;
		break;
	case LIVE_KEY_PAGE_UP:
		top -= top < page ? top : page;
		break;
	case 'g':
	case LIVE_KEY_HOME:
		top = 0;
		break;
	case 'G':
	case LIVE_KEY_END:
		top = s->nr_page;
		break;
	case LIVE_KEY_RESIZE:
		return LIVE_DRAW;
	default:
		return 0;
	}
	s->page_top = top;
	return LIVE_DRAW;
}

/* ---- all keys ------------------------------------------------------------------------------- */

static unsigned int help_key(struct live_state *s, uint32_t key)
{
	if (key == 'j' || key == LIVE_KEY_DOWN)
		s->help_top++;
	else if (key == 'k' || key == LIVE_KEY_UP)
		s->help_top -= s->help_top != 0;
	else if (key == 'q')
		return LIVE_QUIT;
	else if (key != LIVE_KEY_RESIZE)
		s->is_help = false;
	return LIVE_DRAW;
}

static unsigned int plain_key(struct live_state *s, const struct live_table *t, uint32_t key)
{
	size_t row;

	switch (key) {
	case 'q':
		return LIVE_QUIT;
	case 'h':
	case '?':
	case LIVE_KEY_HELP:
		s->is_help = true;
		s->help_top = 0;
		return LIVE_DRAW;
	case '/':
		return live_prompt_open(s, LIVE_SEARCH);
	case 'f':
	case LIVE_KEY_FILTER:
		return live_prompt_open(s, LIVE_FILTER);
	case 'n':
		return live_state_search(s, t, s->cursor + 1) ? LIVE_DRAW : 0;
	case ' ':
		s->is_paused = !s->is_paused;
		return LIVE_DRAW | (s->is_paused ? 0 : LIVE_TABLE);
	case 'w':
		return LIVE_WRITE;
	case 'W':
		return LIVE_REMEMBER;
	case 'J':
		return live_prompt_open(s, LIVE_TIME);
	case 'a':
		return annotate(s, t);
	case 'z':
		return s->is_live ? LIVE_ZERO | LIVE_DRAW : 0;
	case LIVE_KEY_ENTER:
		return zoom(s, t);
	case LIVE_KEY_ESCAPE:
		return back(s);
	case LIVE_KEY_RESIZE:
		return LIVE_DRAW;
	}
	row = live_cursor_moved(s, t, key);
	row = row >= t->nr ? t->nr - (t->nr != 0) : row;
	if (row != s->cursor) {
		live_state_select(s, t, row);
		return LIVE_DRAW;
	}
	return fold_key(s, t, key) ?: choice_key(s, t, key);
}

unsigned int live_state_key(struct live_state *s, const struct live_table *t, uint32_t key,
			    uint64_t now_ms)
{
	unsigned int redraw;

	s->last_key_ms = now_ms;
	redraw = *s->message ? LIVE_DRAW : 0;
	*s->message = '\0';
	if (s->is_help)
		return help_key(s, key) | redraw;
	if (s->is_page)
		return page_key(s, key) | redraw;
	if (s->prompt && key != LIVE_KEY_RESIZE)
		return live_prompt_key(s, t, key) | redraw;
	return plain_key(s, t, key) | redraw;
}

unsigned int live_state_click(struct live_state *s, const struct live_table *t, size_t row,
			      uint64_t now_ms)
{
	if (s->is_help || s->is_page || row >= t->nr)
		return 0;
	s->last_key_ms = now_ms;
	live_state_select(s, t, row);
	return LIVE_DRAW;
}
