/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of `eddy top`: what its tables, on a screen or plain, are made from. */
#ifndef EDDY_TOP_TOP_RUN_H
#define EDDY_TOP_TOP_RUN_H

#include <stdio.h>

#include "live/live_text.h"
#include "top/top_annotate.h"
#include "top/top_replay.h"
#include "top/top_request.h"
#include "top/top_sampler.h"

struct top {
	struct top_request *asked; /* the caller's; the screen changes what can be chosen in it */
	FILE *out;		   /* where plain tables go */
	bool is_live;		   /* else a replay */
	bool knows_tasks; /* stacks are kept by thread and shown by comm: --root was not given */
	struct passes passes; /* of the options, as the view needs them; nothing is its own */
	struct live_window *window;
	struct live_analysis *analysis;
	char *source, *unit, *blind;
	struct live_cpu *cpus; /* of the last interval */
	size_t nr_cpus;
	struct base_frames had; /* what the stacks of a replay begin with */
	uint64_t nr_tables;
	struct pipeline_request request;   /* what the window uses */
	struct top_annotation *annotation; /* what is looked at by instruction; NULL: nothing */
	struct top_kept *kept;		   /* of a replay: stacks with their places */
	size_t nr_kept;
	bool is_clock; /* of a replay: the samples are a timer's */
};

/*
 * Shows what is asked for until it is told to end: on a screen where there is a terminal for one,
 * else as plain tables.  files: what is replayed; NULL: the machine as it runs.  0; -EPIPE: nobody
 * reads the tables any more; another -errno with a diag.
 */
int top_show(struct top_request *asked, struct stack_files *files, FILE *out,
	     struct diag *ret_diag);

/* ---- of its own files ------------------------------------------------------------------------ */

/*
 * Looks at a function of the frames by instruction: of a replay, in the intervals that are looked
 * at now; else in those that come.
 */
void top_annotate(struct top *t, struct frame_table *frames, frame_id function);

/* The passes of the options from now on, as the view of the options needs them. */
void top_use_passes(struct top *t);
/* Takes an interval into the window: the enum top_taken, or -errno with a diag. */
int top_take_interval(struct top *t, struct top_sampler *sampler, struct diag *diag);
/* A table and what it is about. */
struct top_table {
	struct live_table table;
	struct live_status status; /* its texts are those of struct top */
};
/* Which intervals it is about. */
struct top_range {
	size_t from, to;    /* from..to - 1 */
	double half_life_s; /* not 0: those before `to`, the older the less */
};
/* 0, or -errno with a diag. */
int top_make_table(struct top *t, const struct top_range *range, struct top_table *ret_table,
		   struct diag *diag);

/*
 * Writes the stacks that a table is about into a file of folded text in the working directory, one
 * that was not there.  What became of it is said in ret_message.  0 or -errno.
 */
int top_write_shown(struct top *t, const struct live_table *table, char *ret_message, size_t size);
/*
 * The window, counted from 1, that was at some time (util/time_point.h) or is the first one after
 * it; 0: there is none, which ret_message says.
 */
size_t top_window_at(const struct top *t, const char *text, char *ret_message, size_t size);

/*
 * The screen (top/top_screen.c), until it is told to end, of what is sampled as the request says
 * (NULL: a replay).  0, or -errno with a diag.
 */
int top_screen_run(struct top *t, const struct capture_request *request, int signals_fd,
		   struct diag *diag);

#endif
