// SPDX-License-Identifier: GPL-2.0-or-later
/* The root and the paths go to the worker one behind the other, each with its NUL. */
#include "util/far_first.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/mem.h"
#include "util/root_path.h"
#include "util/strbuf.h"

#define MAX_REQUEST_BYTES 6000

/* ---- in a worker -------------------------------------------------------------------------- */

/*
 * Whoever may write to a file may choose what it says.  A group that has its owner's number has, by
 * custom, nobody else in it.
 */
static bool is_shared(const struct stat *st)
{
	return st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != st->st_uid);
}

static int open_one(const struct worker_request *request, const char *path)
{
	return request->fds[0] >= 0 ? root_path_follow_at(request->fds[0], path)
				    : root_path_follow(request->bytes, path);
}

/* Is it a regular file?  And what is to be known of it. */
static bool describe(int fd, struct far_found *found)
{
	struct statfs fs;
	struct stat st;

	if (far_stat_here(fd, &found->stat) < 0 || !found->stat.is_regular || fstat(fd, &st) < 0)
		return false;
	found->is_shared = is_shared(&st);
	found->fs_type = fstatfs(fd, &fs) < 0 ? 0 : (uint64_t)fs.f_type;
	return true;
}

static void first_job(const struct worker_request *request, struct worker_answer *answer)
{
	const char *at = request->bytes + strlen(request->bytes) + 1;
	const char *end = request->bytes + request->len;
	struct far_found found = { 0 };

	answer->status = -ENOENT;
	for (; at < end; at += strlen(at) + 1, found.which++) {
		_cleanup_close_ int fd = open_one(request, at);

		if (fd < 0 || !describe(fd, &found))
			continue;
		answer->status = 0;
		answer->fd = take_fd(&fd);
		answer->bytes = xmalloc(sizeof(found));
		memcpy(answer->bytes, &found, sizeof(found));
		answer->len = sizeof(found);
		return;
	}
}

/* ---- in the program ----------------------------------------------------------------------- */

int far_open_first(struct worker_pool *p, const struct worker_key *key,
		   const struct far_places *places, struct far_found *ret_found)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	_cleanup_strbuf_ struct strbuf request = STRBUF_INIT;
	const int fds[2] = { places->root_fd, -1 };
	struct worker_job job = { .fn = first_job, .key = *key, .fds = fds };
	int r;

	strbuf_add(&request, places->root, strlen(places->root) + 1);
	for (size_t i = 0; i < places->nr; i++)
		strbuf_add(&request, places->paths[i], strlen(places->paths[i]) + 1);
	if (request.len > MAX_REQUEST_BYTES)
		return -ENAMETOOLONG;
	job.bytes = request.bytes;
	job.len = request.len;
	r = worker_pool_run(p, &job, &a);
	if (!r)
		r = worker_answer_error(&a);
	if (r < 0)
		return r;
	if (a.fd < 0 || a.len != sizeof(*ret_found))
		return -EPIPE;
	memcpy(ret_found, a.bytes, sizeof(*ret_found));
	return take_fd(&a.fd);
}
