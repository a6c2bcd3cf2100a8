/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boxes of a flame graph as rows, as output/flame_layout.h places them: in preorder, each with
 * the samples that stand before it on its level.  What is narrower than a column of the screen is
 * left out, and so is what is beside the frames that are zoomed on.
 */
#ifndef EDDY_LIVE_LIVE_FLAME_H
#define EDDY_LIVE_LIVE_FLAME_H

#include "live/live_table.h"

void live_flame_rows(const struct profile *shown, const struct live_choice *c,
		     struct live_table *t);

/* The frames that lead to a row, outermost first, into ret_frames[LIVE_MAX_ZOOM]; how many. */
size_t live_flame_path(const struct live_table *t, size_t row, frame_id *ret_frames);
/* The row that a key leads to from another: the box above, below, to the left, to the right. */
enum live_flame_way { LIVE_FLAME_UP, LIVE_FLAME_DOWN, LIVE_FLAME_LEFT, LIVE_FLAME_RIGHT };
size_t live_flame_move(const struct live_table *t, size_t row, enum live_flame_way way);

#endif
