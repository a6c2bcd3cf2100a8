/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What FILE means on the command line of every command that reads stacks: a file, "-", or a
 * directory that `eddy snapshot` wrote (DIR, or one host's directory in it), of which --since,
 * --until and
 * --host choose.  A snapshot belongs to a range when any part of it does.
 */
#ifndef EDDY_LOAD_STACK_FILES_H
#define EDDY_LOAD_STACK_FILES_H

#include <stdbool.h>

#include "util/time_point.h"
#include "analysis/passes.h"
#include "input/input.h"
#include "archive/snapshot_dir.h"
#include "util/json.h"
#include "util/listener.h"
#include "util/strbuf.h"

struct stack_files_opts {
	struct time_point since, until;
	const char *host; /* NULL: all */
	struct input_opts input;
	bool with_host;			 /* each stack begins with its host: --root host */
	const struct listener *listener; /* NULL: nobody */
	/* What input points to. */
	uint32_t *pids, *tids;
	size_t nr_pids, nr_tids;
};

void stack_files_opts_deinit(struct stack_files_opts *opts);
/* What --root, where it was given, asks of those who read. */
void stack_files_opts_set_root(struct stack_files_opts *opts, const struct passes *passes);

/* What report reads when no FILE is named and standard input is a terminal. */
#define STACK_FILES_DEFAULT "eddy.folded"

struct stack_file {
	char *path;
	char *host; /* of a snapshot: the name of its directory; else NULL */
	bool is_snapshot;
	struct snapshot_name name; /* of a snapshot; else zero */
	/* Of one that has been read. */
	uint64_t nr_samples;
	bool has_vanished; /* a snapshot that was no longer there */
};

void stack_file_deinit(struct stack_file *file);

struct stack_files {
	struct stack_file *files; /* in the order given; those of a directory by time, then host */
	size_t nr, cap;
	size_t nr_snapshots;
	struct input_unit unit;		 /* of what was read: all have the same */
	const struct listener *listener; /* as in the options */
	const char *unit_of;		 /* the first file that was read; NULL: none yet */
	size_t nr_vanished;		 /* snapshots that were removed before they could be read */
	/* Of the two threads that read halves: */
	bool is_half;		/* this is the earlier one's, which shows how far it is */
	struct strbuf *remarks; /* of the later one, which says nothing: lines; else NULL */
};

/*
 * Finds the files that the paths (ended by NULL; none: standard input,
 * or STACK_FILES_DEFAULT where that is a terminal) mean, and says on standard
 * error what of a directory was chosen.  0 with at least one file, or -errno with a diag that says
 * what there is when nothing of it was meant.
 */
int stack_files_open(char *const *paths, const struct stack_files_opts *opts,
		     struct stack_files *ret_files, struct diag *ret_diag);
void stack_files_deinit(struct stack_files *files);
#define _cleanup_stack_files_ __attribute__((cleanup(stack_files_deinit)))

/*
 * Adds file i to a profile; remarks of the reader go to standard error.  0; 1 when it was a
 * snapshot that is no longer there (counted); -errno with a diag.
 */
int stack_files_read(struct stack_files *files, size_t i, const struct stack_files_opts *opts,
		     struct profile *into, struct diag *ret_diag);
/* All of them, many on two threads, and a line about those that vanished. */
int stack_files_read_all(struct stack_files *files, const struct stack_files_opts *opts,
			 struct profile *into, struct diag *ret_diag);
void stack_files_say_vanished(const struct stack_files *files);

/*
 * Reads the `.json` beside file i; -ENOENT without a diag when there is none, -ESTALE without a
 * diag when it is a snapshot that is no longer there either.
 */
int stack_files_sidecar(const struct stack_files *files, size_t i, struct json **ret_json,
			struct diag *ret_diag);

#endif
