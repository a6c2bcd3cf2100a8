/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which frames of a profile are no functions: names of processes at the root, and marks such as
 * [softirq] or [truncated].  Live data and perf script text know it (FRAME_BASE); of folded text it
 * is the place of a frame, and the text of a mark, that tell.
 */
#ifndef EDDY_ANALYSIS_BASE_MARKS_H
#define EDDY_ANALYSIS_BASE_MARKS_H

#include <stdbool.h>

#include "profile/profile.h"

/*
 * The same stacks with such frames as FRAME_BASE, so that a process and a function of one name are
 * two frames.  nr_bases: so many first frames of each stack are no functions but what --root made.
 * A new profile over the same frame table.
 */
struct profile *profile_mark_bases(const struct profile *in, size_t nr_bases);
/* Would that change anything? */
bool profile_has_unmarked_bases(const struct profile *in, size_t nr_bases);

/* Is the frame no function? */
bool frame_is_base(const struct frame_table *frames, frame_id frame);

#endif
