/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy export: stacks for a database. */
#ifndef EDDY_CLI_EXPORT_H
#define EDDY_CLI_EXPORT_H

#include "cli/options.h"

/* A command (cli/command.h): returns an exit status. */
int export_run(char **argv);

/* Its options, for who completes them; ended by NULL. */
extern const struct option_row *const export_tables[];

#endif
