/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What eddy record makes of a capture: files, a view on standard output, and words. */
#ifndef EDDY_CLI_RECORD_RESULTS_H
#define EDDY_CLI_RECORD_RESULTS_H

#include "cli/record_options.h"
#include "run/capture_run.h"

/*
 * Opens and drops every file before anything is sampled: a missing directory should be heard of
 * now, not after an hour.
 */
int record_try_files(struct record *r, struct diag *diag);

/* Writes and prints everything; an exit status, that of the first failure. */
int record_results(struct record *r, const struct capture_window *w);

#endif
