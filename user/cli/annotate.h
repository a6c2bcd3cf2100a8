/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy annotate: see annotate.c */
#ifndef EDDY_CLI_ANNOTATE_H
#define EDDY_CLI_ANNOTATE_H

#include "cli/options.h"

int annotate_run(char **argv);
extern const struct option_row *const annotate_tables[];

#endif
