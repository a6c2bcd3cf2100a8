/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of all frames by their printed name, bytewise, so that ties break without strings. */
#ifndef EDDY_ANALYSIS_NAME_RANK_H
#define EDDY_ANALYSIS_NAME_RANK_H

#include "profile/frame.h"

struct name_rank {
	uint32_t *ranks; /* of each frame id; frames of one printed name rank by id */
	size_t nr;
};

/* Compares two frames as printed, name, line and suffix; < 0, 0, > 0. */
int name_compare(const struct frame_table *t, frame_id a, frame_id b);

/* Ranks all frames of the table; nothing is done when it has not grown. r is zeroed at first. */
void name_rank_update(struct name_rank *r, const struct frame_table *t);
void name_rank_deinit(struct name_rank *r);

#endif
