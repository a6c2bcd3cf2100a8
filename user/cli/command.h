/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands: each is one file of this directory and one row of the table in command.c.
 *
 * Exit status: 0 done; 1 failed, one line "eddy: what: why (and what to do)" on standard error;
 * 2 wrong usage, the option named, and a hint.
 */
#ifndef EDDY_CLI_COMMAND_H
#define EDDY_CLI_COMMAND_H

#include "util/listener.h"

struct option_row;

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct command {
	const char *name;
	const char *summary; /* one line for `eddy --help` */
	/* argv[0] is the command's name, NULL ends it; returns an exit status. */
	int (*run)(char **argv);
	const struct option_row *const *tables; /* its options; ended by NULL */
};

/* Ended by a row without a name. */
extern const struct command command_table[];

/* Runs the command that argv[1] names; --help and --version too. */
int command_run(int argc, char **argv);

/*
 * Standard error is written here and, the line that says how far it is, in progress.c.
 *
 * A remark: prints "eddy: ..." as one line, with nothing in it that a terminal obeys.
 */
void command_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Finished text of several lines, each of them a remark. */
void command_say_each(const char *text);
/* A text of many lines as it stands, but with nothing in it that a terminal obeys. */
void command_say_lines(const char *text);
/* command_say() for those who call back with one finished text. */
void command_say_text(const char *text);
/* What others have to say goes that way too, and how far they are. */
extern const struct listener command_listener;
/* Prints "eddy: ..." to standard error and returns EXIT_FAILED / EXIT_USAGE (with a hint). */
int command_failed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int command_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
