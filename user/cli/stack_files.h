/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What FILE means on the command line of every command that reads stacks: a file, "-", or a folder
 * that `eddy snapshot` wrote (DIR, or one host's folder in it), of which --since, --until and
 * --host choose.  A snapshot belongs to a range when any part of it does.
 */
#ifndef EDDY_CLI_STACK_FILES_H
#define EDDY_CLI_STACK_FILES_H

#include <getopt.h>
#include <stdbool.h>

#include "cli/time_point.h"
#include "input/input.h"
#include "input/snapshot_dir.h"
#include "util/json.h"

enum {
	OPTION_SINCE = 0x180,
	OPTION_UNTIL,
	OPTION_HOST,
	OPTION_MAX_INPUT,
};

/* clang-format off */
#define STACK_FILES_OPTIONS                                                                        \
	{ "since", required_argument, NULL, OPTION_SINCE },                                        \
	{ "until", required_argument, NULL, OPTION_UNTIL },                                        \
	{ "host", required_argument, NULL, OPTION_HOST },                                          \
	{ "max-input", required_argument, NULL, OPTION_MAX_INPUT }
/* clang-format on */

struct stack_files_opts {
	struct time_point since, until;
	const char *host; /* NULL: all */
	struct input_opts input;
};

/* Takes one option that getopt_long returned: 0, -ENOENT when it is none of these, or -EINVAL. */
int stack_files_option(struct stack_files_opts *opts, int option, const char *arg,
		       struct diag *ret_diag);
/* The lines about them for --help. */
void stack_files_help(FILE *to);

struct stack_file {
	char *path;
	char *host; /* of a snapshot: the name of its folder; else NULL */
	bool is_snapshot;
	struct snapshot_name name; /* of a snapshot; else zero */
};

void stack_file_deinit(struct stack_file *file);

struct stack_files {
	struct stack_file *files; /* in the order given; those of a folder by time, then host */
	size_t nr, cap;
	size_t nr_snapshots;
	size_t nr_vanished; /* snapshots that were removed before they could be read */
};

/*
 * Finds the files that the paths (ended by NULL; none: standard input) mean, and says on standard
 * error what of a folder was chosen.  0 with at least one file, or -errno with a diag that says
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
/* All of them, and a line about those that vanished. */
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
