/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that others may exchange, opened for reading as regular files or not at all: opening a
 * device may do something to it, and whoever opens a FIFO waits for another.
 */
#ifndef EDDY_UTIL_REGULAR_FILE_H
#define EDDY_UTIL_REGULAR_FILE_H

/* By path; links are followed.  A descriptor, or -errno; -EINVAL: it is no regular file. */
int regular_file_open(const char *path);
/* What was opened by O_PATH, the same; both stay open. */
int regular_file_reopen(int fd);

#endif
