/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy report: what is in files of stacks, as one of the views. */
#ifndef EDDY_CLI_REPORT_H
#define EDDY_CLI_REPORT_H

#include "cli/options.h"

/* A command (cli/command.h): returns an exit status. */
int report_run(char **argv);

/* Its options, for who completes them; ended by NULL. */
extern const struct option_row *const report_tables[];

#endif
