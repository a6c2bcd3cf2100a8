// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/PID/map_files leads to the very file that is mapped, deleted or replaced or not; following
 * it takes CAP_CHECKPOINT_RESTORE.
 */
#include "capture/mapping_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/file_generation.h"
#include "util/cleanup.h"

/*
 * Without CAP_CHECKPOINT_RESTORE the link of a mapping can be read but not followed: then its file
 * is looked for by the path, in the process's root, and must be the one that is mapped.
 */
static int open_by_path(uint32_t pid, const char *link, const struct eddy_unwind_key *key)
{
	char path[PATH_MAX + 32];
	int at = snprintf(path, sizeof(path), "/proc/%u/root", pid);
	ssize_t n = readlink(link, path + at, sizeof(path) - at - 1);
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (n <= 0)
		return -1;
	path[at + n] = '\0';
	if (stat(path, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode))
		return -ENODEV;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_ino != key->ino ||
	    (major(st.st_dev) << 20 | minor(st.st_dev)) != key->dev ||
	    (key->gen && file_generation(fd) != key->gen))
		return -1;
	return take_fd(&fd);
}

int mapping_open(uint32_t pid, uint64_t start, uint64_t end, const struct eddy_unwind_key *key)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)start,
		 (unsigned long long)end);
	if (stat(path, &st) < 0)
		return errno == EPERM || errno == EACCES ? open_by_path(pid, path, key) : -1;
	return S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -ENODEV;
}
