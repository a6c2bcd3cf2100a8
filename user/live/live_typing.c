// SPDX-License-Identifier: GPL-2.0-or-later
/* The line at the foot of the screen: what is searched for, what is filtered by. */
#include <string.h>

#include "live/live_keys.h"

/* The next row from `from` on, around the end, whose name holds what is searched for. */
bool live_state_search(struct live_state *s, const struct live_table *t, size_t from)
{
	for (size_t i = 0; *s->search && i < t->nr; i++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
		size_t row = (from + i) % t->nr;

		live_table_name(t, &t->rows[row], &name);
		if (strcasestr(name.bytes, s->search)) {
			live_state_select(s, t, row);
			return true;
		}
	}
	return false;
}

static unsigned int typed(struct live_state *s, const struct live_table *t)
{
	if (s->prompt == LIVE_TIME)
		return LIVE_DRAW;
	if (s->prompt == LIVE_SEARCH) {
		memcpy(s->search, s->typed, sizeof(s->search));
		live_state_search(s, t, s->cursor);
		return LIVE_DRAW;
	}
	memcpy(s->filter, s->typed, sizeof(s->filter));
	s->choice.filter = *s->filter ? s->filter : NULL;
	return LIVE_DRAW | LIVE_TABLE;
}

/* Takes the last character off, all of its bytes. */
static void erase(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = '\0';
}

static void append(char *text, uint32_t c)
{
	size_t len = strlen(text);

	if (len + 5 > LIVE_TYPED_BYTES)
		return;
	if (c < 0x80) {
		text[len++] = c;
	} else if (c < 0x800) {
		text[len++] = 0xc0 | c >> 6;
		text[len++] = 0x80 | (c & 0x3f);
	} else if (c < 0x10000) {
		text[len++] = 0xe0 | c >> 12;
		text[len++] = 0x80 | (c >> 6 & 0x3f);
		text[len++] = 0x80 | (c & 0x3f);
	} else {
		text[len++] = 0xf0 | c >> 18;
		text[len++] = 0x80 | (c >> 12 & 0x3f);
		text[len++] = 0x80 | (c >> 6 & 0x3f);
		text[len++] = 0x80 | (c & 0x3f);
	}
	text[len] = '\0';
}

unsigned int live_prompt_key(struct live_state *s, const struct live_table *t, uint32_t key)
{
	if (key == LIVE_KEY_ENTER) {
		bool is_time = s->prompt == LIVE_TIME && *s->typed;

		s->prompt = LIVE_NO_PROMPT;
		return LIVE_DRAW | (is_time ? LIVE_JUMP : 0);
	}
	if (key == LIVE_KEY_ESCAPE) {
		unsigned int effects;

		*s->typed = '\0';
		effects = typed(s, t);
		s->prompt = LIVE_NO_PROMPT;
		return effects;
	}
	if (key == LIVE_KEY_ERASE)
		erase(s->typed);
	else if (key >= ' ' && key < LIVE_KEY_UP)
		append(s->typed, key);
	else
		return 0;
	return typed(s, t);
}

unsigned int live_prompt_open(struct live_state *s, enum live_prompt prompt)
{
	s->prompt = prompt;
	if (prompt == LIVE_FILTER)
		memcpy(s->typed, s->filter, sizeof(s->typed));
	else
		*s->typed = '\0';
	return LIVE_DRAW;
}
