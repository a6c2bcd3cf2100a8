/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy diff: two times compared. */
#ifndef EDDY_CLI_DIFF_H
#define EDDY_CLI_DIFF_H

#include "cli/options.h"

/* A command (cli/command.h): returns an exit status. */
int diff_run(char **argv);

/* Its options, for who completes them; ended by NULL. */
extern const struct option_row *const diff_tables[];

#endif
