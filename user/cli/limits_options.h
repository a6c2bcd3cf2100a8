/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The limits of `eddy snapshot` as options, and the same in a file that is read again at SIGHUP:
 *
 *	# /etc/eddy.conf: names as those of the options, without dashes in front
 *	keep-age 7d
 *	keep-bytes 2G
 *
 * What the file names takes the place of the option; what it does not, stays as the option says.
 */
#ifndef EDDY_CLI_LIMITS_OPTIONS_H
#define EDDY_CLI_LIMITS_OPTIONS_H

#include "cli/options.h"
#include "snapshot/snapshot_limits.h"

/* Into a struct snapshot_limits. */
extern const struct option_row limits_option_rows[];

/*
 * Reads the file over *l.  0, or -errno with a diag that names file and line; *l is then as it was.
 */
int limits_options_read(struct snapshot_limits *l, const char *path, struct diag *ret_diag);

#endif
