// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A lock is worth something only as long as its file has its name: who locks a file that was
 * removed meanwhile is alone with it.  So the name is looked at after locking, and again before
 * writing.
 */
#include "snapshot/host_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "util/mem.h"
#include "util/safe_path.h"

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool lock_has_its_name(int dir, int lock_fd)
{
	struct stat ours, named;

	return !fstat(lock_fd, &ours) &&
	       !fstatat(dir, SNAPSHOT_LOCK, &named, AT_SYMLINK_NOFOLLOW) && is_same(&ours, &named);
}

static int refuse(const char *path, int lock_fd, struct diag *ret_diag)
{
	char text[32] = "";
	ssize_t n = pread(lock_fd, text, sizeof(text) - 1, 0);
	unsigned int pid;
	struct stat st;

	/* What such a file says about who has it is anybody's word. */
	if (!fstat(lock_fd, &st) && st.st_uid && st.st_uid != geteuid())
		return diag_set(ret_diag, EBUSY,
				"%s: the lock " SNAPSHOT_LOCK " is somebody else's file (of UID "
				"%u), and taken",
				path, (unsigned int)st.st_uid);
	if (n > 0 && sscanf(text, "%u", &pid) == 1)
		return diag_set(
			ret_diag, EBUSY,
			"%s: another eddy writes here, process %u (one directory, one eddy; "
			"--host names another directory)",
			path, pid);
	return diag_set(ret_diag, EBUSY, "%s: another eddy writes here (one directory, one eddy)",
			path);
}

/*
 * Whoever finds the lock taken reads who has it; a disk too full for that is no reason to stop.
 * Only what is locked is written to, whatever has its name by now.
 */
static void sign(int dir, int lock_fd)
{
	_cleanup_close_ int fd =
		openat(dir, SNAPSHOT_LOCK, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat ours, opened;

	if (fd >= 0 && !fstat(fd, &opened) && !fstat(lock_fd, &ours) && is_same(&ours, &opened) &&
	    !ftruncate(fd, 0))
		dprintf(fd, "%d\n", (int)getpid());
}

/*
 * Anybody who can open a lock can hold it.  So it is for its owner alone; one that was left
 * readable by an earlier eddy of ours becomes so.
 */
static int check_lock(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_nlink > 1)
		return -EMEDIUMTYPE;
	if (st.st_uid == geteuid() && st.st_mode & 077 && fchmod(fd, 0600) < 0)
		return -errno;
	return 0;
}

/*
 * Held open for reading only: what is open for writing keeps a disk from becoming read-only.  NFS
 * makes a lock of byte ranges of it, which wants a descriptor for writing (flock(2), NFS details).
 */
static int open_locked(int dir, int *ret_fd)
{
	static const int modes[] = { O_RDONLY, O_RDWR };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		_cleanup_close_ int fd =
			openat(dir, SNAPSHOT_LOCK,
			       modes[i] | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

		if (fd < 0)
			return -errno;
		r = check_lock(fd);
		if (r < 0)
			return r;
		r = flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
		if (r == -EBADF)
			continue;
		*ret_fd = take_fd(&fd);
		return r;
	}
	return r;
}

static int lock(struct host_dir *f, struct diag *ret_diag)
{
	for (int attempt = 0; attempt < 100; attempt++) {
		_cleanup_close_ int fd = -1;
		int r = open_locked(f->fd, &fd);

		if (r == -EWOULDBLOCK && fd >= 0)
			return refuse(f->path, fd, ret_diag);
		if (r == -EMEDIUMTYPE || r == -ELOOP)
			return diag_set(ret_diag, -r,
					"%s: the lock " SNAPSHOT_LOCK " is not a file of its own",
					f->path);
		if (r < 0)
			return diag_set(ret_diag, -r, "%s: cannot %s the lock: %s", f->path,
					fd < 0 ? "write" : "take", strerror(-r));
		if (!lock_has_its_name(f->fd, fd))
			continue;
		sign(f->fd, fd);
		f->lock_fd = take_fd(&fd);
		return 0;
	}
	return diag_set(ret_diag, EBUSY, "%s: the lock is removed again and again", f->path);
}

/* Makes and opens a directory; a link is none. */
static int make(int parent, const char *name)
{
	int fd;

	if (mkdirat(parent, name, safe_dir_mode()) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* DIR alone, when what leads to it has to be there. */
static int make_dir(const char *dir, struct diag *ret_diag)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	_cleanup_free_ char *path = xstrdup(dir);
	int r;

	for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	r = safe_place_open(path, 0, &place, ret_diag);
	if (r == -EISDIR)
		return 0;
	if (r >= 0 && mkdirat(place.dir, place.name, safe_dir_mode()) < 0 && errno != EEXIST)
		return diag_set(ret_diag, errno, "%s: cannot make it: %s", dir, strerror(errno));
	return r;
}

static int find_place(const struct host_dir *f, const char *dir, bool with_parents,
		      struct safe_place *ret_place, struct diag *ret_diag)
{
	unsigned int flags = with_parents ? SAFE_PATH_MAKE_DIRS : 0;
	int r = with_parents ? 0 : make_dir(dir, ret_diag);

	return r < 0 ? r
		     : safe_place_open(f->path, flags | SAFE_PATH_KEEP_LINK, ret_place, ret_diag);
}

int host_dir_open(const char *dir, const char *host, bool with_parents, struct host_dir **ret_dir,
		  struct diag *ret_diag)
{
	_cleanup_host_dir_ struct host_dir *f = xcalloc(1, sizeof(*f));
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	int r;

	f->fd = f->lock_fd = -1;
	f->path = xasprintf("%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", host);
	r = find_place(f, dir, with_parents, &place, ret_diag);
	if (r < 0)
		return r;
	if (place.is_there && S_ISLNK(place.st.st_mode))
		return diag_set(
			ret_diag, ELOOP,
			"%s: is a link, which a host's directory must not be (give DIR as the "
			"directory that it leads to)",
			f->path);
	r = f->fd = make(place.dir, place.name);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: cannot make it: %s", f->path, strerror(-r));
	f->is_movable = place.is_movable || (place.is_shared && !place.is_sticky);
	r = lock(f, ret_diag);
	if (r < 0)
		return r;
	*ret_dir = take_ptr(f);
	return 0;
}

void host_dir_free(struct host_dir *f)
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

bool host_dir_is_there(const struct host_dir *f)
{
	struct stat ours, named;

	return !fstat(f->fd, &ours) && !lstat(f->path, &named) && is_same(&ours, &named) &&
	       lock_has_its_name(f->fd, f->lock_fd);
}

bool host_dir_was_moved(const struct host_dir *f)
{
	struct stat st;

	return f->is_movable && !fstat(f->fd, &st) && st.st_nlink &&
	       lock_has_its_name(f->fd, f->lock_fd);
}
