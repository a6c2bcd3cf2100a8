// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Temporary file, fsync, rename.  Everything happens relative to the directory's descriptor, so a
 * directory that is renamed meanwhile still gets its file, its fsync is of the right directory, and
 * what others do with links leads nowhere.
 * The stream is one of our own (fopencookie): stdio keeps a flag that some write failed, but not
 * why, and a drop must be able to throw away what is still buffered.
 */
#include "util/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "util/mem.h"
#include "util/safe_path.h"

#define TMP_PREFIX   ".eddy-"
#define TMP_SUFFIX   ".tmp"
#define BUFFER_BYTES (256 * 1024)

struct atomic_file {
	FILE *stream;
	char *buffer; /* the stream's */
	char *path;   /* as the user wrote it, for messages */
	char *name;   /* of the target in the directory */
	int fd;
	int dir;	  /* -1: written in place, nothing to rename */
	int err;	  /* errno of the first write that failed */
	bool dropped;	  /* nothing more reaches the file */
	bool is_kept;	  /* what is replaced stays under another name, */
	const char *tail; /* where this stays last */
	bool is_shared;	  /* others may make names in the directory, */
	bool is_open;	  /* and take ours away */
	bool is_new;	  /* must not be there yet; the directory is synced by the caller */
	char tmp[64];	  /* "": no file of that name is left */
};

static int fail(const struct atomic_file *f, int err, const char *what, struct diag *ret_diag)
{
	return diag_set(ret_diag, err, "%s: %s: %s", f->path, what, strerror(err));
}

/* Creates f->tmp, which must not be there. */
static int create_temporary(struct atomic_file *f)
{
	int fd = openat(f->dir, f->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			safe_file_mode());
	int r = fd < 0 ? -errno : fd;

	if (fd < 0)
		f->tmp[0] = '\0';
	return r;
}

/* A name that nobody has; the directory decides by O_EXCL. */
static int open_temporary(struct atomic_file *f)
{
	for (int attempt = 0; attempt < 100; attempt++) {
		uint32_t number;
		int fd;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -EIO;
		snprintf(f->tmp, sizeof(f->tmp), TMP_PREFIX "%08x" TMP_SUFFIX, number);
		fd = create_temporary(f);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

/*
 * Only of the caller's own file, and only where nobody else can have put another of his files under
 * the name: elsewhere its mode says nothing about this one.  What set-id bits were for has gone.
 */
static void hand_on_mode(int fd, const struct safe_place *place)
{
	const struct stat *old = &place->st;
	mode_t mode = old->st_mode & 0777;
	struct stat st;

	if (!S_ISREG(old->st_mode) || old->st_uid != geteuid() || old->st_nlink != 1 ||
	    (place->is_shared && !place->is_sticky))
		return;
	/* Another group gets what everybody gets. */
	if (!fstat(fd, &st) && st.st_gid != old->st_gid && fchown(fd, -1, old->st_gid) < 0)
		mode = (mode & 0707) | (mode & 07) << 3;
	(void)fchmod(fd, mode);
}

static int open_descriptor(struct atomic_file *f, int descriptor)
{
	if (descriptor == STDOUT_FILENO && fflush(stdout))
		return -errno;
	f->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
	return f->fd < 0 ? -errno : 0;
}

/* Without waiting for anybody; what was looked at may have gone. */
static int open_device(struct atomic_file *f, const struct safe_place *place)
{
	struct stat st;

	f->fd = openat(place->dir, place->name,
		       O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
	if (f->fd < 0 || fstat(f->fd, &st) < 0 || fcntl(f->fd, F_SETFL, 0) < 0)
		return -errno;
	return S_ISCHR(st.st_mode) ? 0 : -EAGAIN;
}

static int refuse(const struct atomic_file *f, mode_t mode, struct diag *ret_diag)
{
	if (S_ISDIR(mode))
		return fail(f, EISDIR, "cannot write", ret_diag);
	if (S_ISFIFO(mode))
		return diag_set(ret_diag, EINVAL,
				"%s: a FIFO is not written to, anybody may have it open (- is "
				"standard output, and that may be a pipe)",
				f->path);
	return diag_set(ret_diag, EINVAL,
			S_ISCHR(mode) ? "%s: a device in a directory that others may write to"
				      : "%s: neither a file nor a character device",
			f->path);
}

/* A new file under a temporary name, beside what it will replace. */
static int open_beside(struct atomic_file *f, struct safe_place *place)
{
	f->dir = openat(place->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->dir < 0)
		return -errno;
	f->name = take_ptr(place->name);
	f->is_open = place->is_shared && !place->is_sticky;
	f->is_shared = place->is_shared;
	f->fd = open_temporary(f);
	if (f->fd >= 0 && place->is_there)
		hand_on_mode(f->fd, place);
	return f->fd;
}

static int open_target(struct atomic_file *f, struct diag *ret_diag)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	int r = safe_place_open(f->path, 0, &place, ret_diag);
	mode_t mode = place.st.st_mode;

	if (r < 0)
		return r;
	if (place.descriptor >= 0)
		r = open_descriptor(f, place.descriptor);
	else if (!place.is_there || S_ISREG(mode) || S_ISLNK(mode))
		r = open_beside(f, &place);
	else if (S_ISCHR(mode) && !place.is_shared)
		r = open_device(f, &place);
	else
		return refuse(f, mode, ret_diag);
	return r < 0 ? fail(f, -r, "cannot write", ret_diag) : 0;
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t size)
{
	struct atomic_file *f = cookie;
	size_t done = 0;

	while (done < size && !f->err && !f->dropped) {
		ssize_t n = write(f->fd, bytes + done, size - done);

		if (n < 0 && errno != EINTR)
			f->err = errno;
		else if (n > 0)
			done += n;
	}
	return f->err ? 0 : (ssize_t)size; /* 0 is how a cookie says error */
}

static int open_stream(struct atomic_file *f)
{
	f->stream = fopencookie(f, "w", (cookie_io_functions_t){ .write = stream_write });
	if (!f->stream)
		return -errno;
	f->buffer = xmalloc(BUFFER_BYTES);
	setvbuf(f->stream, f->buffer, _IOFBF, BUFFER_BYTES);
	return 0;
}

int atomic_file_open(const char *path, struct atomic_file **ret_file, struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *f = xcalloc(1, sizeof(*f));
	bool is_stdout = !strcmp(path, "-");
	int r;

	f->dir = f->fd = -1;
	f->path = xstrdup(is_stdout ? "standard output" : path);
	r = is_stdout ? open_descriptor(f, STDOUT_FILENO) : open_target(f, ret_diag);
	if (r < 0)
		return is_stdout ? fail(f, -r, "cannot write", ret_diag) : r;
	r = open_stream(f);
	if (r < 0)
		return fail(f, -r, "cannot write", ret_diag);
	*ret_file = take_ptr(f);
	return 0;
}

bool atomic_file_is_stream(const char *path)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;

	if (!strcmp(path, "-"))
		return true;
	return !safe_place_open(path, 0, &place, NULL) &&
	       (place.descriptor >= 0 || (place.is_there && S_ISCHR(place.st.st_mode)));
}

int atomic_file_open_new(int dir, const char *name, const char *shown, const char *temporary,
			 struct atomic_file **ret_file, struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *f = xcalloc(1, sizeof(*f));
	int r;

	f->fd = -1;
	f->is_new = true;
	f->path = xstrdup(shown);
	f->name = xstrdup(name);
	f->dir = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	if (f->dir < 0)
		return fail(f, errno, "cannot write", ret_diag);
	if (unlinkat(f->dir, temporary, 0) < 0 && errno != ENOENT)
		return fail(f, errno, "cannot remove what was left behind", ret_diag);
	snprintf(f->tmp, sizeof(f->tmp), "%s", temporary);
	r = f->fd = create_temporary(f);
	if (r >= 0)
		r = open_stream(f);
	if (r < 0)
		return fail(f, -r, "cannot write", ret_diag);
	*ret_file = take_ptr(f);
	return 0;
}

FILE *atomic_file_stream(struct atomic_file *file)
{
	return file->stream;
}

/* Flushes, syncs and closes; 0 when every byte is where it belongs. */
static int finish_stream(struct atomic_file *f)
{
	if (fclose(take_ptr(f->stream)) && !f->err)
		f->err = errno;
	if (!f->err && f->dir >= 0 && fsync(f->fd) < 0)
		f->err = errno;
	if (close(take_fd(&f->fd)) < 0 && !f->err)
		f->err = errno;
	return -f->err;
}

int atomic_file_sync_dir(int dir)
{
	if (!fsync(dir) || errno == EINVAL || errno == ENOTSUP)
		return 0;
	return -errno;
}

/* A file system that knows no RENAME_NOREPLACE says EINVAL: there it is look, then rename. */
static int rename_new(const struct atomic_file *f)
{
	if (!renameat2(f->dir, f->tmp, f->dir, f->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (!faccessat(f->dir, f->name, F_OK, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return renameat(f->dir, f->tmp, f->dir, f->name) < 0 ? -errno : 0;
}

void atomic_file_keep_old(struct atomic_file *file, const char *tail)
{
	file->is_kept = true;
	file->tail = tail;
}

/* Is there something of that name that is a file of the caller's own, and no other name of one? */
static bool is_own_file(const struct atomic_file *f, const char *name, struct stat *ret_st)
{
	return !fstatat(f->dir, name, ret_st, AT_SYMLINK_NOFOLLOW) && S_ISREG(ret_st->st_mode) &&
	       ret_st->st_uid == geteuid() && ret_st->st_nlink == 1;
}

/*
 * The old file gets its other name by a link first, so that its own is never missing; where there
 * are no links (FAT) it is renamed.
 */
static int keep_old(const struct atomic_file *f)
{
	size_t len = strlen(f->name), tail = strlen(f->tail);
	_cleanup_free_ char *old = NULL, *link = NULL;
	struct stat st;

	if (f->is_open || len < tail || strcmp(f->name + len - tail, f->tail))
		return 0;
	old = xasprintf("%.*s.old%s", (int)(len - tail), f->name, f->tail);
	if (f->is_shared && !is_own_file(f, old, &st) &&
	    !faccessat(f->dir, old, F_OK, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (!is_own_file(f, f->name, &st) || !st.st_size) {
		/* It would be about another file. */
		if (tail && is_own_file(f, old, &st))
			unlinkat(f->dir, old, 0);
		return 0;
	}
	link = xasprintf("%s.old", f->tmp);
	if (linkat(f->dir, f->name, f->dir, link, 0) < 0)
		return renameat(f->dir, f->name, f->dir, old) < 0 ? -errno : 0;
	if (renameat(f->dir, link, f->dir, old) < 0) {
		int err = errno;

		unlinkat(f->dir, link, 0);
		return -err;
	}
	return 0;
}

int atomic_file_commit(struct atomic_file **file, struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *f = take_ptr(*file);
	int r = finish_stream(f);

	if (r < 0)
		return fail(f, -r, "cannot write", ret_diag);
	if (f->dir < 0)
		return 0;
	if (f->is_kept)
		r = keep_old(f);
	if (r < 0)
		return fail(f, -r, "the old file cannot be kept as .old", ret_diag);
	if (f->is_new)
		r = rename_new(f);
	else if (renameat(f->dir, f->tmp, f->dir, f->name) < 0)
		r = -errno;
	if (r < 0)
		return fail(f, -r, "cannot rename", ret_diag);
	f->tmp[0] = '\0';
	r = f->is_new ? 0 : atomic_file_sync_dir(f->dir);
	return r < 0 ? fail(f, -r, "cannot sync its directory", ret_diag) : 0;
}

void atomic_file_drop(struct atomic_file *file)
{
	if (!file)
		return;
	file->dropped = true;
	if (file->stream)
		fclose(file->stream);
	if (file->fd >= 0)
		close(file->fd);
	if (file->tmp[0])
		unlinkat(file->dir, file->tmp, 0);
	if (file->dir >= 0)
		close(file->dir);
	free(file->buffer);
	free(file->name);
	free(file->path);
	free(file);
}
