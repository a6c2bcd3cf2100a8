// SPDX-License-Identifier: GPL-2.0-or-later
/* The jobs, and the calls that have them done. */
#include "util/far_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/maps.h"
#include "util/mem.h"
#include "util/regular_file.h"
#include "util/root_path.h"
#include "util/strbuf.h"

#define MAX_PATH_BYTES 6000 /* a path (4096) behind a root's, within the 8 KiB of a job */
#define MAX_READ_BYTES (1u << 20)
#define MAX_MAPS_BYTES (16u << 20)
#define IN_NO_ROOT     SIZE_MAX

struct request {
	uint64_t offset, len;
	size_t root_len; /* of the path, that is the root's; IN_NO_ROOT: the path is any */
	bool wants_stat;
	char path[MAX_PATH_BYTES]; /* not all of it is sent */
};

/* The highest bits tell processes from devices, whose numbers would be the same ones. */
struct worker_key far_process(pid_t pid)
{
	return (struct worker_key){ .group = 1ull << 63 | (uint32_t)pid, .pid = pid };
}

struct worker_key far_process_of(pid_t pid, owner_id owner)
{
	return (struct worker_key){ .group = 1ull << 63 | (uint32_t)pid, .owner = owner };
}

struct worker_key far_inode(uint64_t dev, uint64_t ino, owner_id owner)
{
	return (struct worker_key){ .group = 1ull << 62 | dev, .member = ino, .owner = owner };
}

/* ---- in a worker -------------------------------------------------------------------------- */

static void stat_fill(const struct stat *st, struct far_stat *to)
{
	memset(to, 0, sizeof(*to));
	to->dev = st->st_dev;
	to->ino = st->st_ino;
	to->bytes = st->st_size;
	to->mtime_ns = (uint64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	to->uid = st->st_uid;
	to->owner = owner_of_uid(st->st_uid);
	to->is_regular = S_ISREG(st->st_mode);
	to->is_public = st->st_mode & S_IROTH;
}

int far_stat_here(int fd, struct far_stat *ret_stat)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	stat_fill(&st, ret_stat);
	return 0;
}

static void answer_stat(const struct far_stat *st, struct worker_answer *answer)
{
	answer->bytes = xmalloc(sizeof(*st));
	answer->len = sizeof(*st);
	memcpy(answer->bytes, st, sizeof(*st));
}

static int open_asked(const struct request *r)
{
	_cleanup_free_ char *root = NULL;
	int fd;

	if (r->root_len == IN_NO_ROOT) {
		fd = open(r->path, O_PATH | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	root = xmemdup0(r->path, r->root_len);
	return root_path_open(root, r->path + r->root_len);
}

static void open_job(const struct worker_request *request, struct worker_answer *answer)
{
	const struct request *r = (const void *)request->bytes;
	_cleanup_close_ int fd = open_asked(r);
	struct far_stat st = { 0 };

	if (fd < 0) {
		answer->status = fd;
		return;
	}
	if (r->wants_stat) {
		answer->status = far_stat_here(fd, &st);
		if (!answer->status && !st.is_regular)
			answer->status = -EINVAL;
		if (answer->status)
			return;
		answer_stat(&st, answer);
	}
	answer->fd = take_fd(&fd);
}

static void stat_job(const struct worker_request *request, struct worker_answer *answer)
{
	const struct request *r = (const void *)request->bytes;
	struct far_stat to;
	struct stat st;

	if ((request->fds[0] >= 0 ? fstat(request->fds[0], &st) : stat(r->path, &st)) < 0) {
		answer->status = -errno;
		return;
	}
	stat_fill(&st, &to);
	answer_stat(&to, answer);
}

static void read_job(const struct worker_request *request, struct worker_answer *answer)
{
	const struct request *r = (const void *)request->bytes;
	_cleanup_close_ int fd = regular_file_reopen(request->fds[0]);
	size_t len = r->len < MAX_READ_BYTES ? r->len : MAX_READ_BYTES;

	if (fd < 0) {
		answer->status = fd;
		return;
	}
	answer->bytes = xmalloc(len);
	while (answer->len < len) {
		ssize_t n = pread(fd, answer->bytes + answer->len, len - answer->len,
				  (off_t)(r->offset + answer->len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && !answer->len)
			answer->status = -errno;
		if (n <= 0)
			break;
		answer->len += n;
	}
}

static void maps_job(const struct worker_request *request, struct worker_answer *answer)
{
	const struct request *r = (const void *)request->bytes;
	_cleanup_fclose_ FILE *f = fopen(r->path, "re");
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (!f) {
		answer->status = -errno;
		return;
	}
	setvbuf(f, NULL, _IOFBF, 64 << 10);
	while ((n = getline(&line, &cap, f)) > 0) {
		answer->status++;
		if (maps_line_is_executable(line, n) && text.len + n <= MAX_MAPS_BYTES)
			strbuf_add(&text, line, n);
	}
	answer->len = text.len;
	answer->bytes = text.len ? strbuf_detach(&text) : NULL;
}

/* ---- in the program ----------------------------------------------------------------------- */

static int request_run(struct worker_pool *p, const struct worker_key *key, worker_fn fn,
		       struct request *r, const char *path, int fd, struct worker_answer *answer)
{
	const int fds[2] = { fd, -1 };
	size_t len = strlen(path);
	int err;

	if (len >= sizeof(r->path))
		return -ENAMETOOLONG;
	memcpy(r->path, path, len + 1);
	err = worker_pool_run(p,
			      &(struct worker_job){ .fn = fn,
						    .key = *key,
						    .bytes = r,
						    .len = offsetof(struct request, path) + len + 1,
						    .fds = fds },
			      answer);
	return err < 0 ? err : worker_answer_error(answer);
}

static int answer_get_stat(const struct worker_answer *a, struct far_stat *ret_stat)
{
	if (a->len != sizeof(*ret_stat))
		return -EPIPE; /* an answer that is none, as of a worker that has died */
	memcpy(ret_stat, a->bytes, sizeof(*ret_stat));
	return 0;
}

static int open_run(struct worker_pool *p, const struct worker_key *key, struct request *r,
		    const char *path, struct far_stat *ret_stat)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	int err = request_run(p, key, open_job, r, path, -1, &a);

	if (!err && ret_stat)
		err = answer_get_stat(&a, ret_stat);
	if (!err && a.fd < 0)
		err = -EPIPE;
	return err ? err : take_fd(&a.fd);
}

int far_open(struct worker_pool *p, const struct worker_key *key, const char *path,
	     struct far_stat *ret_stat)
{
	struct request r = { .root_len = IN_NO_ROOT, .wants_stat = ret_stat };

	return open_run(p, key, &r, path, ret_stat);
}

int far_open_regular(struct worker_pool *p, const struct worker_key *key,
		     const struct far_path *path, struct far_stat *stat)
{
	const uint64_t dev = stat->dev, ino = stat->ino;
	_cleanup_free_ char *whole = xasprintf("%s%s", path->root, path->path);
	struct request r = { .root_len = strlen(path->root), .wants_stat = true };
	_cleanup_close_ int fd = open_run(p, key, &r, whole, stat);

	if (fd < 0)
		return fd;
	if (dev && (stat->dev != dev || stat->ino != ino))
		return -ESTALE;
	return take_fd(&fd);
}

int far_stat(struct worker_pool *p, const struct worker_key *key, int fd, struct far_stat *ret_stat)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	struct request r = { 0 };
	int err = request_run(p, key, stat_job, &r, "", fd, &a);

	return err ? err : answer_get_stat(&a, ret_stat);
}

int far_stat_path(struct worker_pool *p, const struct worker_key *key, const char *path,
		  struct far_stat *ret_stat)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	struct request r = { 0 };
	int err = request_run(p, key, stat_job, &r, path, -1, &a);

	return err ? err : answer_get_stat(&a, ret_stat);
}

ssize_t far_read(struct worker_pool *p, const struct worker_key *key, int fd, void *buf, size_t len,
		 uint64_t offset)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	struct request r = { .offset = offset, .len = len };
	int err = request_run(p, key, read_job, &r, "", fd, &a);

	if (err)
		return err;
	if (a.len > len)
		return -EPIPE;
	if (a.len)
		memcpy(buf, a.bytes, a.len);
	return (ssize_t)a.len;
}

int far_maps(struct worker_pool *p, const struct worker_key *key, const char *path,
	     struct far_maps *ret_maps)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	struct request r = { 0 };
	int err = request_run(p, key, maps_job, &r, path, -1, &a);

	if (err)
		return err;
	*ret_maps = (struct far_maps){ take_ptr(a.bytes), a.len, a.cpu_ns };
	return a.status > INT32_MAX ? INT32_MAX : (int)a.status;
}
