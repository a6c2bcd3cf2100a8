/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy top: the machine as it runs, or what is in files, table by table. */
#ifndef EDDY_CLI_TOP_H
#define EDDY_CLI_TOP_H

#include "cli/options.h"

/* A command (cli/command.h): returns an exit status. */
int top_run(char **argv);
/* Its options, for who completes them; ended by NULL. */
extern const struct option_row *const top_tables[];

#endif
