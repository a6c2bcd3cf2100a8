/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that choose and read FILE... (load/stack_files.h), of every command that has them. */
#ifndef EDDY_CLI_STACK_FILES_OPTIONS_H
#define EDDY_CLI_STACK_FILES_OPTIONS_H

#include <stdio.h>

#include "cli/options.h"
#include "load/stack_files.h"

/* Into a struct stack_files_opts. */
extern const struct option_row stack_files_option_rows[];
/* The lines about them for --help. */
void stack_files_help(FILE *to);

#endif
