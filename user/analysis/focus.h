/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeping and dropping whole stacks by the functions they hold. */
#ifndef EDDY_ANALYSIS_FOCUS_H
#define EDDY_ANALYSIS_FOCUS_H

#include <stdint.h>

#include "analysis/frame_set.h"
#include "profile/profile.h"

/*
 * A new profile of those stacks of `in` that hold a frame of `focus` (all when NULL) and none of
 * `ignore` (NULL: none).  The samples of the others are added to *ret_dropped.
 */
struct profile *profile_focus(const struct profile *in, const struct frame_set *focus,
			      const struct frame_set *ignore, uint64_t *ret_dropped);

#endif
