/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each window of a directory of snapshots by itself: how busy, and with what. */
#ifndef EDDY_LOAD_WINDOWS_H
#define EDDY_LOAD_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/passes.h"
#include "load/stack_files.h"
#include "output/html_windows.h"

#define WINDOW_HOTTEST 3

struct window_function {
	char *name; /* as folded text has it; NULL: there is none */
	uint64_t self;
};

struct window_row {
	int64_t start_s; /* since 1970; 0: not known */
	uint64_t seconds;
	const char *host; /* of the files; NULL: none */
	bool has_json;	  /* else the next five are not known */
	uint64_t due, kept, lost, busy;
	double busy_percent;				/* of what was due; negative: not known */
	uint64_t total;					/* samples after the passes */
	struct window_function hottest[WINDOW_HOTTEST]; /* after the passes, by self falling */
};

struct windows {
	struct window_row *rows; /* as the files are: by time, then host */
	size_t nr, cap, nr_hosts;
	struct html_windows *page; /* what a page shows of them; NULL: no page is wanted */
};

/*
 * Reads all files, adding what is in them to `into`.  0 or -errno with a diag.  The files outlive
 * the rows.
 */
int windows_read(struct stack_files *files, const struct stack_files_opts *opts,
		 const struct passes *passes, struct profile *into, struct windows *ret_windows,
		 struct diag *ret_diag);
void windows_deinit(struct windows *w); /* zero-filled is fine */
#define _cleanup_windows_ __attribute__((cleanup(windows_deinit)))

#endif
