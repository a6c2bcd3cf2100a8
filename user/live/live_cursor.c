// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a key moves the cursor: in a list, beside callers and callees, in a flame view. */
#include "live/live_cursor.h"

#include "live/live_flame.h"

static size_t moved(const struct live_state *s, uint32_t key)
{
	size_t page = s->nr_visible ? s->nr_visible : 1;

	switch (key) {
	case LIVE_KEY_UP:
	case 'k':
		return s->cursor ? s->cursor - 1 : 0;
	case LIVE_KEY_DOWN:
	case 'j':
		return s->cursor + 1;
	case LIVE_KEY_PAGE_UP:
		return s->cursor > page ? s->cursor - page : 0;
	case LIVE_KEY_PAGE_DOWN:
		return s->cursor + page;
	case LIVE_KEY_HOME:
	case 'g':
		return 0;
	case LIVE_KEY_END:
	case 'G':
		return SIZE_MAX;
	}
	return s->cursor;
}

static size_t head_of(const struct live_table *t)
{
	size_t head = 0;

	while (head < t->nr && !t->rows[head].is_head)
		head++;
	return head;
}

/* Callers stand to the left, callees to the right, and the function above both. */
static size_t moved_in_pair(const struct live_state *s, const struct live_table *t, uint32_t key)
{
	size_t at = s->cursor, head = head_of(t), row = moved(s, key);
	bool is_up = key == LIVE_KEY_UP || key == 'k';
	bool is_down = key == LIVE_KEY_DOWN || key == 'j';

	if (key == LIVE_KEY_LEFT)
		return at > head && head    ? (at - head - 1 < head ? at - head - 1 : head - 1)
		       : at == head && head ? 0
					    : at;
	if (key == LIVE_KEY_RIGHT)
		return at <= head && head + 1 < t->nr ? head + 1 + (at < head ? at : 0) : at;
	if (at == head)
		return is_down && head ? 0 : is_up ? at : row;
	if (is_up && (at == 0 || at == head + 1))
		return head;
	return is_down && at + 1 == head ? at : row;
}

size_t live_cursor_moved(const struct live_state *s, const struct live_table *t, uint32_t key)
{
	if (s->is_pair)
		return moved_in_pair(s, t, key);
	if (s->choice.view != LIVE_FLAME)
		return moved(s, key);
	switch (key) {
	case LIVE_KEY_UP:
	case 'k':
		return live_flame_move(t, s->cursor, LIVE_FLAME_UP);
	case LIVE_KEY_DOWN:
	case 'j':
		return live_flame_move(t, s->cursor, LIVE_FLAME_DOWN);
	case LIVE_KEY_LEFT:
		return live_flame_move(t, s->cursor, LIVE_FLAME_LEFT);
	case LIVE_KEY_RIGHT:
		return live_flame_move(t, s->cursor, LIVE_FLAME_RIGHT);
	}
	return moved(s, key);
}
