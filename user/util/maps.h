/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of /proc/PID/maps (proc_pid_maps(5)). */
#ifndef EDDY_UTIL_MAPS_H
#define EDDY_UTIL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps_line {
	uint64_t start, end; /* start < end */
	uint64_t offset;     /* in the file */
	uint64_t dev, ino;   /* dev as in st_dev; 0 and 0: no file */
	bool is_executable;
	const char *path; /* as it stands there: "" for anonymous memory, "[vdso]", ... */
	size_t path_len;
};

/*
 * Whether it is a line of executable memory, if it is a line of maps at all: nine of ten are not,
 * and need not be looked at any further.
 */
bool maps_line_is_executable(const char *s, size_t len);

/* Parses one line (without its newline).  0, or -EINVAL when it is not a line of maps. */
int maps_line_parse(const char *s, size_t len, struct maps_line *ret_line);

/*
 * Calls fn(ctx, line) for each line of executable memory until it returns false; what stands behind
 * the last newline is no line.  The line is valid during the call only.
 */
void maps_read(const char *text, size_t len, bool (*fn)(void *ctx, const struct maps_line *line),
	       void *ctx);

#endif
