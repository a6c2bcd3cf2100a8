// SPDX-License-Identifier: GPL-2.0-or-later
/* By openat2(2), which glibc does not wrap; else part by part. */
#include "util/root_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"

/* A path with ".." is looked up anew when something was renamed meanwhile, anywhere. */
#define MAX_TRIES 16

/* On the way; by what it is opened for, a directory or anything. */
#define STEP_FLAGS (O_PATH | O_NOFOLLOW | O_CLOEXEC)

static int open_in(int root, const char *path, int flags)
{
	const struct open_how how = { .flags = flags,
				      .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	long fd = -1;

	for (int try = 0; try < MAX_TRIES; try++) {
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	if (fd >= 0)
		return (int)fd;
	/* -EAGAIN is a worker's that has no time; here somebody renames without end. */
	return errno == EAGAIN || errno == EXDEV ? -ELOOP : -errno;
}

/* A part of the path, without following: of a link, its descriptor is none of a directory. */
static int step(int dir, const char *name, bool is_last)
{
	int fd;

	if (!strcmp(name, ".."))
		return -ELOOP;
	fd = openat(dir, name, is_last ? STEP_FLAGS : STEP_FLAGS | O_DIRECTORY);
	if (fd >= 0)
		return fd;
	return errno == ENOTDIR ? -ELOOP : -errno;
}

static int walk(int root, const char *path)
{
	_cleanup_close_ int at = fcntl(root, F_DUPFD_CLOEXEC, 3);
	char name[NAME_MAX + 1];

	while (at >= 0) {
		size_t len;
		int fd;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len)
			break;
		if (len >= sizeof(name))
			return -ENAMETOOLONG;
		memcpy(name, path, len);
		name[len] = '\0';
		path += len;
		fd = step(at, name, !*path);
		if (fd < 0)
			return fd;
		close(at);
		at = fd;
	}
	return at < 0 ? -errno : take_fd(&at);
}

/* What is opened is asked for last: it may be a link, which is not what was meant. */
static int walk_to_file(int root, const char *path)
{
	_cleanup_close_ int fd = walk(root, path);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISLNK(st.st_mode) ? -ELOOP : take_fd(&fd);
}

static int root_open(const char *root)
{
	int fd = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int root_path_open(const char *root, const char *path)
{
	_cleanup_close_ int at = root_open(root);
	int fd;

	if (at < 0)
		return at;
	fd = open_in(at, path, STEP_FLAGS);
	return fd == -ENOSYS || fd == -EPERM ? walk(at, path) : fd;
}

int root_path_follow_at(int root, const char *path)
{
	int fd = open_in(root, path, STEP_FLAGS & ~O_NOFOLLOW);

	return fd == -ENOSYS || fd == -EPERM ? walk_to_file(root, path) : fd;
}

int root_path_follow(const char *root, const char *path)
{
	_cleanup_close_ int at = root_open(root);

	return at < 0 ? at : root_path_follow_at(at, path);
}
