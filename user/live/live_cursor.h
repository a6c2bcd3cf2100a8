/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cursor of a table. */
#ifndef EDDY_LIVE_LIVE_CURSOR_H
#define EDDY_LIVE_LIVE_CURSOR_H

#include "live/live_keys.h"

/* The row that a key moves it to, maybe behind the last one; where it is, for other keys. */
size_t live_cursor_moved(const struct live_state *s, const struct live_table *t, uint32_t key);

#endif
