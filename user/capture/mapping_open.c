// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/PID/map_files leads to the very file that is mapped, deleted or replaced or not; following
 * it takes CAP_CHECKPOINT_RESTORE.  Without, the link can be read but not followed: then the file
 * is looked for by its path, in the process's root.
 *
 * Either may lead to another file than was meant: the mapping has been replaced since, or the file
 * under the path.  Device and inode tell, but not those of stat(2): btrfs and overlayfs have their
 * own there.  What /proc/PID/maps prints is the kernel's view of a mapping, and the sampler's; so
 * where stat disagrees the file is mapped here too, for a moment, and asked for in /proc/self/maps.
 */
#include "capture/mapping_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/file_generation.h"
#include "capture/file_key.h"
#include "util/cleanup.h"

/* Finds the line of our own mapping at addr: its end, and the file as it is printed there. */
static bool own_mapping_find(uint64_t addr, uint64_t *ret_end, struct eddy_unwind_key *ret_shown)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *line = NULL;
	unsigned long long end, ino;
	unsigned int major, minor;
	size_t bytes = 0;

	while (f && getline(&line, &bytes, f) > 0) {
		if (strtoull(line, NULL, 16) != addr)
			continue;
		if (sscanf(line, "%*x-%llx %*s %*x %x:%x %llu", &end, &major, &minor, &ino) != 4)
			return false;
		*ret_end = end;
		*ret_shown = (struct eddy_unwind_key){ .ino = ino, .dev = major << 20 | minor };
		return true;
	}
	return false;
}

/* Device and inode that /proc/PID/maps prints for an open file. */
static bool shown_find(int fd, struct eddy_unwind_key *ret_shown)
{
	size_t bytes = sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	uint64_t start = (uintptr_t)p, end = start + bytes;
	bool found;

	if (p == MAP_FAILED)
		return false;
	found = own_mapping_find(start, &end, ret_shown);
	munmap(p, end - start); /* of huge pages it is longer than was asked for */
	return found;
}

static bool is_asked_for(int fd, const struct eddy_file_event *asked)
{
	uint32_t gen = asked->key.gen ? file_generation(fd) : 0;
	struct eddy_unwind_key shown;
	struct stat st;

	if (gen && gen != asked->key.gen)
		return false;
	if (fstat(fd, &st) < 0)
		return false;
	shown.ino = st.st_ino;
	shown.dev = major(st.st_dev) << 20 | minor(st.st_dev);
	if (file_key_has_inode(&shown, &asked->key))
		return true;
	return shown_find(fd, &shown) && (file_key_has_inode(&shown, &asked->key) ||
					  file_key_has_inode(&shown, &asked->shown));
}

static int open_regular(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENODEV;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int open_by_path(uint32_t pid, const char *link)
{
	char path[PATH_MAX + 32];
	int at = snprintf(path, sizeof(path), "/proc/%u/root", pid);
	ssize_t n = readlink(link, path + at, sizeof(path) - at - 1);

	if (n <= 0)
		return -EACCES;
	path[at + n] = '\0';
	return open_regular(path);
}

int mapping_open(const struct eddy_file_event *asked)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	char link[64];

	snprintf(link, sizeof(link), "/proc/%u/map_files/%llx-%llx", asked->pid,
		 (unsigned long long)asked->start, (unsigned long long)asked->end);
	fd = open_regular(link);
	if (fd == -EPERM || fd == -EACCES)
		fd = open_by_path(asked->pid, link);
	if (fd == -ENODEV)
		return -ENODEV;
	if (fd < 0) /* not permitted, or gone: the link itself needs no permission */
		return lstat(link, &st) < 0 && (errno == ENOENT || errno == ESRCH) ? -ESRCH
										   : -EACCES;
	return is_asked_for(fd, asked) ? take_fd(&fd) : -ESTALE;
}
