/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of a capture: the summary on standard error, and the `.json` beside its file. */
#ifndef EDDY_CLI_ACCOUNT_H
#define EDDY_CLI_ACCOUNT_H

#include <stdbool.h>

#include "run/account_sidecar.h"
#include "run/capture_account.h"
#include "util/diag.h"

/* One line that accounts for every sample; all the rest when verbose. */
void account_say(const struct capture_account *a, const struct account_extra *extra, bool verbose);
/* PATH.json beside the stacks at PATH. */
int account_sidecar_write(const char *path, const struct capture_account *a,
			  const struct account_extra *extra, struct diag *diag);
/* Why expected samples were not taken, in a line. */
void account_say_not_taken(const struct not_taken *n);

#endif
