/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `eddy top` takes. */
#ifndef EDDY_CLI_TOP_OPTIONS_H
#define EDDY_CLI_TOP_OPTIONS_H

#include "cli/stack_files.h"
#include "live/live_choices.h"
#include "run/capture_request.h"

#define TOP_DEFAULT_WINDOW_S 10

struct top_options {
	struct capture_options capture;
	struct passes passes;
	struct stack_files_opts files;
	char **paths; /* what is replayed, in argv; none: the machine as it runs */
	struct live_choice choice;
	uint64_t every_ns; /* how often there is something new */
	double window_s;   /* what is looked at: so many seconds, 0: all; negative: not given */
	uint64_t max_bytes;
	uint64_t count; /* tables; 0: no end */
	uint64_t width; /* 0: the terminal's */
	bool is_batch;
	unsigned int given; /* enum top_given */
};

enum top_given {
	TOP_CAPTURE = 1 << 0, /* an option of CAPTURE, or --every */
	TOP_FILES = 1 << 1,   /* one that chooses snapshots */
	TOP_CHOSEN = 1 << 4,  /* and above: enum live_chosen so many times */
};

void top_options_init(struct top_options *o);
void top_options_deinit(struct top_options *o);
#define _cleanup_top_options_ __attribute__((cleanup(top_options_deinit)))

/* 0, OPTIONS_HELP (printed by top_options_help()), or -EINVAL with a diag. */
int top_options_parse(struct top_options *o, char **argv, struct diag *ret_diag);
void top_options_help(void);

#endif
