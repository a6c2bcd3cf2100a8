// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A lock is worth something only as long as its file has its name: who locks a file that was
 * removed meanwhile is alone with it.  So the name is looked at after locking, and again before
 * writing.
 */
#include "cli/snapshot_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "util/mem.h"

static int make(const char *path)
{
	return mkdir(path, 0777) < 0 && errno != EEXIST ? -errno : 0;
}

/* All folders that lead to the last one. */
static int make_parents(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);

	for (char *p = copy + 1; *copy && (p = strchr(p, '/')); p++) {
		int r;

		*p = '\0';
		r = make(copy);
		*p = '/';
		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool lock_has_its_name(int folder, int lock_fd)
{
	struct stat ours, named;

	return !fstat(lock_fd, &ours) &&
	       !fstatat(folder, SNAPSHOT_LOCK, &named, AT_SYMLINK_NOFOLLOW) &&
	       is_same(&ours, &named);
}

static int refuse(const char *path, int lock_fd, struct diag *ret_diag)
{
	char text[32] = "";
	ssize_t n = pread(lock_fd, text, sizeof(text) - 1, 0);
	unsigned int pid;

	if (n > 0 && sscanf(text, "%u", &pid) == 1)
		return diag_set(ret_diag, EBUSY,
				"%s: another eddy writes here, process %u (one folder, one eddy; "
				"--host names another folder)",
				path, pid);
	return diag_set(ret_diag, EBUSY, "%s: another eddy writes here (one folder, one eddy)",
			path);
}

/* Whoever finds the lock taken reads who has it; a disk too full for that is no reason to stop. */
static void sign(int folder)
{
	_cleanup_close_ int fd =
		openat(folder, SNAPSHOT_LOCK, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0)
		dprintf(fd, "%d\n", (int)getpid());
}

/*
 * Held open for reading only: what is open for writing keeps a disk from becoming read-only.  NFS
 * makes a lock of byte ranges of it, which wants a descriptor for writing (flock(2), NFS details).
 */
static int open_locked(int folder, int *ret_fd)
{
	static const int modes[] = { O_RDONLY, O_RDWR };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		_cleanup_close_ int fd = openat(folder, SNAPSHOT_LOCK,
						modes[i] | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

		if (fd < 0)
			return -errno;
		r = flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
		if (r == -EBADF)
			continue;
		*ret_fd = take_fd(&fd);
		return r;
	}
	return r;
}

static int lock(struct snapshot_folder *f, struct diag *ret_diag)
{
	for (int attempt = 0; attempt < 100; attempt++) {
		_cleanup_close_ int fd = -1;
		int r = open_locked(f->fd, &fd);

		if (r == -EWOULDBLOCK && fd >= 0)
			return refuse(f->path, fd, ret_diag);
		if (r < 0)
			return diag_set(ret_diag, -r, "%s: cannot %s the lock: %s", f->path,
					fd < 0 ? "write" : "take", strerror(-r));
		if (!lock_has_its_name(f->fd, fd))
			continue;
		sign(f->fd);
		f->lock_fd = take_fd(&fd);
		return 0;
	}
	return diag_set(ret_diag, EBUSY, "%s: the lock is removed again and again", f->path);
}

int snapshot_folder_open(const char *dir, const char *host, bool with_parents,
			 struct snapshot_folder **ret_folder, struct diag *ret_diag)
{
	_cleanup_snapshot_folder_ struct snapshot_folder *f = xcalloc(1, sizeof(*f));
	int r = with_parents ? make_parents(dir) : 0;

	f->fd = f->lock_fd = -1;
	f->path = xasprintf("%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", host);
	if (r >= 0)
		r = make(dir);
	if (r >= 0)
		r = make(f->path);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: cannot make it: %s", f->path, strerror(-r));
	f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->fd < 0)
		return diag_set(ret_diag, errno, "%s: %s", f->path, strerror(errno));
	r = lock(f, ret_diag);
	if (r < 0)
		return r;
	*ret_folder = take_ptr(f);
	return 0;
}

void snapshot_folder_free(struct snapshot_folder *f)
{
	if (!f)
		return;
	if (f->lock_fd >= 0)
		close(f->lock_fd);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f);
}

bool snapshot_folder_is_there(const struct snapshot_folder *f)
{
	struct stat ours, named;

	return !fstat(f->fd, &ours) && !stat(f->path, &named) && is_same(&ours, &named) &&
	       lock_has_its_name(f->fd, f->lock_fd);
}
