/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy completion: a script for bash or zsh, made from the tables of commands and options. */
#ifndef EDDY_CLI_COMPLETION_H
#define EDDY_CLI_COMPLETION_H

#include "cli/options.h"

/* `eddy completion` (cli/command.h). */
int completion_run(char **argv);
/* Its options, for who completes them; ended by NULL. */
extern const struct option_row *const completion_tables[];

#endif
