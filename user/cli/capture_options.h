/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options called CAPTURE, the same for record and snapshot: what is sampled, and how.
 */
#ifndef EDDY_CLI_CAPTURE_OPTIONS_H
#define EDDY_CLI_CAPTURE_OPTIONS_H

#include <stdio.h>

#include "cli/options.h"
#include "run/capture_request.h"
#include "util/diag.h"

/* Into a struct capture_options. */
extern const struct option_row capture_option_rows[];

/* After the last option: do they go together?  -EINVAL with a diag. */
int capture_options_check(const struct capture_options *o, struct diag *ret_diag);

/* The lines about these options for a command's --help. */
void capture_options_help(FILE *to);

#endif
