/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asked of `eddy top`. */
#ifndef EDDY_TOP_TOP_REQUEST_H
#define EDDY_TOP_TOP_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/passes.h"
#include "live/live_choices.h"
#include "load/stack_files.h"
#include "run/capture_request.h"

#define TOP_DEFAULT_WINDOW_S 10

struct top_request {
	struct capture_options capture;
	struct passes passes;
	struct stack_files_opts files;
	char **paths; /* what is replayed; none: the machine as it runs */
	struct live_choice choice;
	uint64_t every_ns; /* how often there is something new */
	double window_s;   /* what is looked at: so many seconds, 0: all; negative: not given */
	uint64_t max_bytes;
	uint64_t count; /* tables; 0: no end */
	uint64_t width; /* 0: the terminal's */
	bool is_batch;
	unsigned int given; /* enum top_given */
};

/* What was chosen, so that it is not what was remembered. */
enum top_given {
	TOP_CAPTURE = 1 << 0, /* an option of CAPTURE, or --every */
	TOP_FILES = 1 << 1,   /* one that chooses snapshots */
	TOP_CHOSEN = 1 << 4,  /* and above: enum live_chosen so many times */
};

#endif
