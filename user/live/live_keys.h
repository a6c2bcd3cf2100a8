/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of struct live_state share: live_state.c, live_keys.c, live_typing.c. */
#ifndef EDDY_LIVE_LIVE_KEYS_H
#define EDDY_LIVE_LIVE_KEYS_H

#include "live/live_state.h"

/* The row becomes the selected one; the last one when there are not so many. */
void live_state_select(struct live_state *s, const struct live_table *t, size_t row);
/* The next row from `from` on, around the end, whose name holds what is searched for. */
bool live_state_search(struct live_state *s, const struct live_table *t, size_t from);

/* Begins to type; a key while something is typed: the enum live_effect's. */
unsigned int live_prompt_open(struct live_state *s, enum live_prompt prompt);
unsigned int live_prompt_key(struct live_state *s, const struct live_table *t, uint32_t key);

#endif
