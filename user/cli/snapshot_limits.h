/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much `eddy snapshot` keeps: of files in the folder, and of windows in memory while they
 * cannot be written.  Given as options, and in a file that is read again at SIGHUP:
 *
 *	# /etc/eddy.conf: names as those of the options, without dashes in front
 *	keep-age 7d
 *	keep-bytes 2G
 *
 * What the file names takes the place of the option; what it does not, stays as the option says.
 */
#ifndef EDDY_CLI_SNAPSHOT_LIMITS_H
#define EDDY_CLI_SNAPSHOT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/diag.h"

struct snapshot_limits {
	uint64_t keep_files;  /* 0: any number, as below */
	uint64_t keep_bytes;  /* files and their json, as `ls -l` shows them */
	uint64_t keep_age_ns; /* since the end of the window */
	uint64_t max_memory_bytes;
};

/* The default: everything is kept, and 32 MiB in memory. */
void snapshot_limits_init(struct snapshot_limits *l);

/* Is there any on files? */
bool snapshot_limits_any(const struct snapshot_limits *l);

/*
 * Sets one by its name ("keep-files").  0, -ENOENT when there is none of that name, -EINVAL with a
 * diag when the value is wrong.
 */
int snapshot_limits_set(struct snapshot_limits *l, const char *name, const char *value,
			struct diag *ret_diag);

/* Reads the file; on failure *l is as it was, and the diag names file and line. */
int snapshot_limits_read(struct snapshot_limits *l, const char *path, struct diag *ret_diag);

#endif
