// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Temporary file, fsync, rename.  Everything happens relative to the folder's descriptor, so a
 * folder that is renamed meanwhile still gets its file, and its fsync is of the right folder.
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

#define TMP_PREFIX   ".eddy-"
#define TMP_SUFFIX   ".tmp"
#define BUFFER_BYTES (256 * 1024)

struct atomic_file {
	FILE *stream;
	char *buffer; /* the stream's */
	char *path;   /* as the user wrote it, for messages */
	char *name;   /* of the target in the folder */
	int fd;
	int folder;   /* -1: written in place, nothing to rename */
	int err;      /* errno of the first write that failed */
	bool dropped; /* nothing more reaches the file */
	bool is_new;  /* must not be there yet; the folder is synced by the caller */
	char tmp[64]; /* "": no file of that name is left */
};

static int fail(const struct atomic_file *f, int err, const char *what, struct diag *ret_diag)
{
	return diag_set(ret_diag, err, "%s: %s: %s", f->path, what, strerror(err));
}

/* Creates f->tmp, which must not be there. */
static int create_temporary(struct atomic_file *f)
{
	int fd = openat(f->folder, f->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			0666);
	int r = fd < 0 ? -errno : fd;

	if (fd < 0)
		f->tmp[0] = '\0';
	return r;
}

/* A name that nobody has; the folder decides by O_EXCL. */
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

/* Splits the real path (links followed, when it is there) into open folder and name. */
static int open_folder(struct atomic_file *f, bool exists)
{
	_cleanup_free_ char *real = exists ? realpath(f->path, NULL) : xstrdup(f->path);
	char *slash;

	if (!real)
		return -errno;
	slash = strrchr(real, '/');
	f->name = xstrdup(slash ? slash + 1 : real);
	if (!*f->name)
		return slash ? -EISDIR : -ENOENT;
	if (slash)
		slash[slash == real] = '\0'; /* "/x" stands in "/" */
	f->folder = open(slash ? real : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return f->folder < 0 ? -errno : 0;
}

/* The owner first: changing it takes set-id bits away.  Not being allowed to is no error. */
static void hand_on_mode(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 07777;
	struct stat st;

	if (!fstat(fd, &st) && (st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid) < 0)
		mode &= 0777;
	(void)fchmod(fd, mode);
}

static int open_target(struct atomic_file *f)
{
	struct stat st;
	bool exists = stat(f->path, &st) == 0;
	int r;

	if (!exists && errno != ENOENT)
		return -errno;
	if (exists && S_ISDIR(st.st_mode))
		return -EISDIR;
	if (exists && !S_ISREG(st.st_mode)) {
		f->fd = open(f->path, O_WRONLY | O_CLOEXEC);
		return f->fd < 0 ? -errno : 0;
	}
	r = open_folder(f, exists);
	if (r < 0)
		return r;
	f->fd = open_temporary(f);
	if (f->fd < 0)
		return f->fd;
	if (exists)
		hand_on_mode(f->fd, &st);
	return 0;
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
	int r = 0;

	f->folder = f->fd = -1;
	f->path = xstrdup(is_stdout ? "standard output" : path);
	if (!is_stdout)
		r = open_target(f);
	else if (fflush(stdout) || (f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) < 0)
		r = -errno;
	if (r >= 0)
		r = open_stream(f);
	if (r < 0)
		return fail(f, -r, "cannot write", ret_diag);
	*ret_file = take_ptr(f);
	return 0;
}

int atomic_file_open_new(int folder, const char *name, const char *shown, const char *temporary,
			 struct atomic_file **ret_file, struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *f = xcalloc(1, sizeof(*f));
	int r;

	f->fd = -1;
	f->is_new = true;
	f->path = xstrdup(shown);
	f->name = xstrdup(name);
	f->folder = fcntl(folder, F_DUPFD_CLOEXEC, 3);
	if (f->folder < 0)
		return fail(f, errno, "cannot write", ret_diag);
	if (unlinkat(f->folder, temporary, 0) < 0 && errno != ENOENT)
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
	if (!f->err && f->folder >= 0 && fsync(f->fd) < 0)
		f->err = errno;
	if (close(take_fd(&f->fd)) < 0 && !f->err)
		f->err = errno;
	return -f->err;
}

int atomic_file_sync_folder(int folder)
{
	if (!fsync(folder) || errno == EINVAL || errno == ENOTSUP)
		return 0;
	return -errno;
}

/* A file system that knows no RENAME_NOREPLACE says EINVAL: there it is look, then rename. */
static int rename_new(const struct atomic_file *f)
{
	if (!renameat2(f->folder, f->tmp, f->folder, f->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (!faccessat(f->folder, f->name, F_OK, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return renameat(f->folder, f->tmp, f->folder, f->name) < 0 ? -errno : 0;
}

int atomic_file_commit(struct atomic_file **file, struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *f = take_ptr(*file);
	int r = finish_stream(f);

	if (r < 0)
		return fail(f, -r, "cannot write", ret_diag);
	if (f->folder < 0)
		return 0;
	if (f->is_new)
		r = rename_new(f);
	else if (renameat(f->folder, f->tmp, f->folder, f->name) < 0)
		r = -errno;
	if (r < 0)
		return fail(f, -r, "cannot rename", ret_diag);
	f->tmp[0] = '\0';
	r = f->is_new ? 0 : atomic_file_sync_folder(f->folder);
	return r < 0 ? fail(f, -r, "cannot sync its folder", ret_diag) : 0;
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
		unlinkat(file->folder, file->tmp, 0);
	if (file->folder >= 0)
		close(file->folder);
	free(file->buffer);
	free(file->name);
	free(file->path);
	free(file);
}
