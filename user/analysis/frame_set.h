/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that patterns name: one bit per frame of a table, found once, so that passes over
 * millions of nodes compare no strings.
 */
#ifndef EDDY_ANALYSIS_FRAME_SET_H
#define EDDY_ANALYSIS_FRAME_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/frame.h"
#include "util/cleanup.h"

struct frame_set;

/* The empty set over the frames that the table holds now; frames added later are not in it. */
struct frame_set *frame_set_new(const struct frame_table *frames);
void frame_set_free(struct frame_set *s);
DEFINE_FREE(frame_set, struct frame_set *, frame_set_free)
#define _cleanup_frame_set_ _cleanup_(frame_set_freep)

/*
 * Adds all frames whose name is `pattern`, with or without its suffix ("vfs_read",
 * "vfs_read_[k]"); where there is none, all frames whose name matches it as a glob (`*`, `?`,
 * `[...]`).  Returns how many frames match.
 */
size_t frame_set_add(struct frame_set *s, const char *pattern);

void frame_set_add_frame(struct frame_set *s, frame_id frame);
bool frame_set_has(const struct frame_set *s, frame_id frame);
/* How many frames are in it. */
size_t frame_set_nr(const struct frame_set *s);

#endif
