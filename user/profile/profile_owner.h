/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Base frames that say whose the stacks above them are, for as long as a window is in memory; what
 * anybody sees has one base frame of a name.
 */
#ifndef EDDY_PROFILE_PROFILE_OWNER_H
#define EDDY_PROFILE_PROFILE_OWNER_H

#include "profile/profile.h"
#include "util/owner.h"

/* A base frame of that text for an owner; "" where stacks are to have none. */
frame_id profile_owned_base(struct frame_table *t, const char *text, owner_id owner);
/* The same profile (and frame table) with ordinary base frames. */
struct profile *profile_disown(const struct profile *p);

#endif
