/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of instructions as stacks of functions.  A capture whose addresses are wanted has frames
 * with places (profile/frame.h); what is counted and shown by function is made of the profile
 * without them.
 */
#ifndef EDDY_PROFILE_FRAME_PLACE_H
#define EDDY_PROFILE_FRAME_PLACE_H

#include "profile/profile.h"

/* The function of a frame, at its line: itself, unless it is an instruction of one. */
frame_id frame_function(struct frame_table *t, frame_id id);
/* The same as it stands there, of a table that need not have it. */
struct frame frame_without_place(const struct frame_table *t, frame_id id);
/* The same stacks over the same frame table, each frame a function; NULL: they are already. */
struct profile *profile_without_places(const struct profile *p);

#endif
