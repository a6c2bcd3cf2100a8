/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks that a table is about: for who wants to have them as a file. */
#ifndef EDDY_LIVE_LIVE_PICK_H
#define EDDY_LIVE_LIVE_PICK_H

#include "live/live_table.h"

/*
 * Of what the window shows: with LIVE_CALLS the stacks that hold the function, with LIVE_FLAME
 * those under what is zoomed on, else all.  A new profile over the same frame table.
 */
struct profile *live_pick_stacks(const struct profile *shown, const struct live_choice *c,
				 const struct live_table *t);

/* Are they one box of a flame graph? */
bool live_pick_is_same(const struct frame_table *frames, frame_id a, frame_id b);

#endif
