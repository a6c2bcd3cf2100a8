/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy merge */
#ifndef EDDY_CLI_MERGE_H
#define EDDY_CLI_MERGE_H

#include "cli/options.h"

int merge_run(char **argv);

/* Its options, for who completes them; ended by NULL. */
extern const struct option_row *const merge_tables[];

#endif
