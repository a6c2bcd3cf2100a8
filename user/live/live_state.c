// SPDX-License-Identifier: GPL-2.0-or-later
/* What is selected, and that it stays so when there is a new table. */
#include "live/live_state.h"

#include <stdlib.h>
#include <string.h>

#include "live/live_keep.h"
#include "live/live_keys.h"
#include "util/cleanup.h"
#include "util/mem.h"

void live_state_init(struct live_state *s, const struct live_choice *choice, bool is_live)
{
	*s = (struct live_state){
		.choice = *choice, .is_live = is_live, .nr_visible = 1, .tasks.folds_all = true
	};
	s->choice.folds = &s->folds;
	s->choice.tasks = &s->tasks;
}

double live_state_half_life_s(const struct live_state *s)
{
	return s->window_s > 0 ? s->window_s : 10;
}

void live_state_deinit(struct live_state *s)
{
	free(s->name);
	s->name = NULL;
	live_folds_deinit(&s->folds);
	live_folds_deinit(&s->tasks);
}

void live_state_select(struct live_state *s, const struct live_table *t, size_t row)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	s->cursor = t->nr && row >= t->nr ? t->nr - 1 : t->nr ? row : 0;
	if (s->cursor < s->top)
		s->top = s->cursor;
	if (s->cursor >= s->top + s->nr_visible)
		s->top = s->cursor - s->nr_visible + 1;
	free(take_ptr(s->name));
	if (!t->nr)
		return;
	s->key = t->rows[s->cursor].key;
	s->generation = t->generation;
	live_table_name(t, &t->rows[s->cursor], &name);
	s->name = xstrdup(name.bytes);
}

static bool is_same_string(const struct frame_table *a, str_id x, const struct frame_table *b,
			   str_id y)
{
	size_t x_len, y_len;
	const char *s = frame_table_str(a, x, &x_len), *t = frame_table_str(b, y, &y_len);

	return x_len == y_len && !memcmp(s, t, x_len);
}

/* FRAME_NONE: it is not there. */
static frame_id find_frame(const struct frame_table *from, frame_id id,
			   const struct frame_table *to)
{
	const struct frame *wanted = frame_table_get(from, id);

	for (frame_id at = 1; id && at < frame_table_nr(to); at++) {
		const struct frame *f = frame_table_get(to, at);

		if (f->origin == wanted->origin && f->start == wanted->start &&
		    is_same_string(from, frame_shown(wanted), to, frame_shown(f)) &&
		    is_same_string(from, wanted->module, to, f->module))
			return at;
	}
	return FRAME_NONE;
}

void live_state_carry(struct live_state *s, const struct frame_table *from,
		      const struct frame_table *to)
{
	frame_id of = find_frame(from, s->choice.of_frame, to);

	if (s->choice.of_frame && !of && s->choice.view == LIVE_CALLS)
		s->choice.view = s->before;
	s->choice.of_frame = of;
	for (size_t i = 0; i < s->choice.nr_zoom; i++) {
		s->zoom[i] = find_frame(from, s->zoom[i], to);
		if (!s->zoom[i])
			s->choice.nr_zoom = s->nr_zooms = 0;
	}
}

static size_t find_selected(const struct live_state *s, const struct live_table *t)
{
	for (size_t i = 0; i < t->nr && s->generation == t->generation; i++)
		if (t->rows[i].key == s->key)
			return i;
	/* Frames may have other numbers, and the rows other keys. */
	for (size_t i = 0; i < t->nr && s->generation != t->generation; i++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

		live_table_name(t, &t->rows[i], &name);
		if (!strcmp(name.bytes, s->name))
			return i;
	}
	return s->cursor;
}

bool live_state_follow(struct live_state *s, const struct live_table *before, struct live_table *t,
		       uint64_t now_ms)
{
	bool is_same = before->nr && before->view == t->view && before->sorted == t->sorted &&
		       before->generation == t->generation;
	bool is_frozen = s->cursor && is_same && !s->sorts_once && t->view != LIVE_FLAME &&
			 now_ms < s->last_key_ms + LIVE_FREEZE_MS;

	s->sorts_once = false;
	if (is_frozen)
		live_table_keep_order(before, t);
	/* On the first row it is the first row that is looked at, whichever it is. */
	live_state_select(
		s, t, (s->cursor || s->is_following) && s->name ? find_selected(s, t) : s->cursor);
	return is_frozen;
}
