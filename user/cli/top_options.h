/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `eddy top` takes on its command line. */
#ifndef EDDY_CLI_TOP_OPTIONS_H
#define EDDY_CLI_TOP_OPTIONS_H

#include "top/top_request.h"

void top_options_init(struct top_request *o);
void top_options_deinit(struct top_request *o);
#define _cleanup_top_options_ __attribute__((cleanup(top_options_deinit)))

/* 0, OPTIONS_HELP (printed by top_options_help()), or -EINVAL with a diag. */
int top_options_parse(struct top_request *o, char **argv, struct diag *ret_diag);
void top_options_help(void);

#endif
