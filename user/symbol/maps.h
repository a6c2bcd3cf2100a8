/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps (proc_pid_maps(5)), read as a stream: however long it is, 64 KiB are in memory. */
#ifndef EDDY_SYMBOL_MAPS_H
#define EDDY_SYMBOL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps_line {
	uint64_t start, end; /* start < end */
	uint64_t offset;     /* in the file */
	uint64_t dev, ino;   /* dev as in st_dev; 0 and 0: no file */
	const char *path;    /* as it stands there: "" for anonymous memory, "[vdso]", ... */
	size_t path_len;
};

/*
 * Parses one line (without its newline).  1 for an executable mapping, 0 for any other (*ret_line
 * untouched), -EINVAL when it is not a line of maps.
 */
int maps_line_parse(const char *s, size_t len, struct maps_line *ret_line);

/*
 * Calls fn(ctx, line) for each executable mapping until it returns false.  The number of lines
 * read, executable or not (0: a kernel thread, or a process that has ended), or -errno.  The line
 * is valid during the call only.
 */
int maps_read(int fd, bool (*fn)(void *ctx, const struct maps_line *line), void *ctx);

#endif
