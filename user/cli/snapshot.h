/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy snapshot: samples for as long as it runs and writes a file for each window. */
#ifndef EDDY_CLI_SNAPSHOT_H
#define EDDY_CLI_SNAPSHOT_H

#include "cli/options.h"

/* `eddy snapshot`: argv[0] is the command's name; returns an exit status (cli/command.h). */
int snapshot_run(char **argv);

/* Its options, for who completes them; ended by NULL. */
extern const struct option_row *const snapshot_tables[];

#endif
