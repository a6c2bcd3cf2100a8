/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options called PASSES, the same for every command that shows or writes stacks: what is done
 * to them between the source (sampler or file) and the view (analysis/passes.h).
 */
#ifndef EDDY_CLI_PASSES_OPTIONS_H
#define EDDY_CLI_PASSES_OPTIONS_H

#include <stdio.h>

#include "analysis/passes.h"
#include "cli/options.h"

/* Into a struct passes. */
extern const struct option_row passes_option_rows[];
/* Of these --root alone: for who adds stacks up and leaves them as they are otherwise. */
extern const struct option_row passes_root_option_rows[];

/* The lines about these options for a command's --help. */
void passes_help(FILE *to);

#endif
