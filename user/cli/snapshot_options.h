/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of `eddy snapshot`. */
#ifndef EDDY_CLI_SNAPSHOT_OPTIONS_H
#define EDDY_CLI_SNAPSHOT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "cli/capture_options.h"
#include "analysis/passes.h"
#include "snapshot/snapshot_limits.h"
#include "archive/snapshot_name.h"

struct snapshot_options {
	struct capture_options capture;
	struct passes passes;
	const char *dir;
	const char *host; /* as the json names it: --host, or the machine's name */
	char host_dir[SNAPSHOT_HOST_BYTES];
	uint64_t every_ns;
	bool no_gzip, quiet, is_help;
	const char *config;	       /* NULL: none */
	struct snapshot_limits limits; /* as the options say */
	struct utsname uts;
};

void snapshot_options_init(struct snapshot_options *o);
void snapshot_options_deinit(struct snapshot_options *o);
#define _cleanup_snapshot_options_ __attribute__((cleanup(snapshot_options_deinit)))

/* EXIT_DONE to go on (is_help: to print the help), or EXIT_USAGE with the message printed. */
int snapshot_options_parse(struct snapshot_options *o, char **argv);
void snapshot_options_help(void);

/*
 * The limits in force: the options', and what the config file says now.  0, or -errno with a diag
 * and *ret_limits untouched.
 */
int snapshot_options_limits(const struct snapshot_options *o, struct snapshot_limits *ret_limits,
			    struct diag *ret_diag);

#endif
