// SPDX-License-Identifier: GPL-2.0-or-later
/* By O_PATH first, which opens nothing, then the same file by its descriptor. */
#include "util/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "util/cleanup.h"

/* The kernel opens a regular file without waiting, unless somebody has a lease on it. */
#define READ_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

int regular_file_reopen(int fd)
{
	char path[32];
	struct stat st;
	int opened;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opened = open(path, READ_FLAGS);
	return opened < 0 ? -errno : opened;
}

/* Where /proc is not mounted: by path once more, if that still leads to the same file. */
static int open_again(const char *path, int looked_at)
{
	_cleanup_close_ int fd = open(path, READ_FLAGS);
	struct stat now, before;

	if (fd < 0 || fstat(fd, &now) < 0 || fstat(looked_at, &before) < 0)
		return -errno;
	if (now.st_dev != before.st_dev || now.st_ino != before.st_ino)
		return -ESTALE;
	return take_fd(&fd);
}

int regular_file_open(const char *path)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
	int opened = fd < 0 ? -errno : regular_file_reopen(fd);

	return fd >= 0 && opened == -ENOENT ? open_again(path, fd) : opened;
}
