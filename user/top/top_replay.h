/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of stacks as the intervals of a window: a snapshot is one, and so is any other file. */
#ifndef EDDY_TOP_TOP_REPLAY_H
#define EDDY_TOP_TOP_REPLAY_H

#include "load/stack_files.h"
#include "live/live_window.h"

/* Stacks with their places (profile/frame_place.h), of the interval of a serial. */
struct top_kept {
	struct profile *stacks;
	uint64_t serial;
};

struct top_replay {
	struct stack_files *files;
	const struct stack_files_opts *opts;
	bool has_root;		/* base frames are asked for: those of the files stay as they are */
	struct base_frames had; /* found out: what all their stacks begin with */
	size_t max_kept_bytes;	/* what has places beyond this is not kept */
	struct top_kept *kept;	/* found out; who asked frees them */
	size_t nr_kept, cap_kept, kept_bytes;
	char *unit; /* found out: what their counts are (free(); NULL: samples) */
};

/*
 * Reads all of them, in their order, into the window.  Processes at the root are told from
 * functions where the `.json` says that they are there.  0, or -errno with a diag.
 */
int top_replay_read(struct top_replay *replay, struct live_window *into, struct diag *ret_diag);

#endif
