/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much `eddy snapshot` keeps: of files in the directory, and of windows in memory while they
 * cannot be written.  How they are given: cli/limits_options.h.
 */
#ifndef EDDY_SNAPSHOT_SNAPSHOT_LIMITS_H
#define EDDY_SNAPSHOT_SNAPSHOT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct snapshot_limits {
	uint64_t keep_files;  /* 0: any number, as below */
	uint64_t keep_bytes;  /* files and their json, as `ls -l` shows them */
	uint64_t keep_age_ns; /* since the end of the window */
	uint64_t max_memory_bytes;
};

/* The default: everything is kept, and 64 MiB in memory. */
void snapshot_limits_init(struct snapshot_limits *l);

/*
 * How max_memory_bytes is used: a fifth for the window that is on, one for the copy of it that is
 * made at its end, the others for those that wait and the one that is being written.
 */
uint64_t snapshot_limits_window_bytes(const struct snapshot_limits *l);
uint64_t snapshot_limits_queue_bytes(const struct snapshot_limits *l);

/* Is there any on files? */
bool snapshot_limits_any(const struct snapshot_limits *l);

#endif
