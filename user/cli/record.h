/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy record: samples for a while and writes one file. */
#ifndef EDDY_CLI_RECORD_H
#define EDDY_CLI_RECORD_H

#include "cli/options.h"

/* `eddy record`: argv[0] is the command's name; returns an exit status (cli/command.h). */
int record_run(char **argv);

/* Its options, for who completes them; ended by NULL. */
extern const struct option_row *const record_tables[];

#endif
