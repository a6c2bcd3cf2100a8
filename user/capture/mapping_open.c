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
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "capture/file_generation.h"
#include "capture/file_key.h"
#include "capture/file_watch.h"
#include "elf/elf_copy.h"
#include "util/cleanup.h"
#include "util/maps.h"
#include "util/mem.h"
#include "util/regular_file.h"
#include "util/root_path.h"

#define BCACHEFS_MAGIC 0xca451a4e

/* Finds the line of our own mapping at addr: its end, and the file as it is printed there. */
static bool own_mapping_find(uint64_t addr, uint64_t *ret_end, struct eddy_unwind_key *ret_shown)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *text = NULL;
	struct maps_line line;
	size_t cap = 0;
	ssize_t n;

	while (f && (n = getline(&text, &cap, f)) > 0) {
		if (maps_line_parse(text, n - 1, &line) < 0 || line.start != addr)
			continue;
		*ret_end = line.end;
		*ret_shown =
			(struct eddy_unwind_key){ .ino = line.ino, .dev = file_key_dev(line.dev) };
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
	shown.dev = file_key_dev(st.st_dev);
	if (file_key_has_inode(&shown, &asked->key))
		return true;
	return shown_find(fd, &shown) && (file_key_has_inode(&shown, &asked->key) ||
					  file_key_has_inode(&shown, &asked->shown));
}

static int open_path(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * The kernel shows a path from our own root where that leads to it, as into the root of a process
 * after chroot(2), and else from its own.
 */
static int open_by_path(uint32_t pid, const char *link)
{
	char root[32], path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	int fd;

	if (n <= 0)
		return -EACCES;
	path[n] = '\0';
	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	fd = root_path_open(root, path);
	return fd < 0 ? root_path_open("", path) : fd;
}

/* ---- in a worker -------------------------------------------------------------------------- */

static void open_job(const struct worker_request *request, struct worker_answer *answer)
{
	const struct eddy_file_event *asked = (const void *)request->bytes;
	struct stat st;
	char link[64];
	int fd;

	snprintf(link, sizeof(link), "/proc/%u/map_files/%llx-%llx", asked->pid,
		 (unsigned long long)asked->start, (unsigned long long)asked->end);
	fd = open_path(link);
	if (fd == -EPERM || fd == -EACCES)
		fd = open_by_path(asked->pid, link);
	if (fd >= 0)
		answer->fd = fd;
	else /* not permitted, or gone: the link itself needs no permission */
		answer->status = lstat(link, &st) < 0 && (errno == ENOENT || errno == ESRCH)
					 ? -ESRCH
					 : -EACCES;
}

static bool has_unknown_key(int fd, uint32_t dev)
{
	struct statfs fs;

	return fstatfs(fd, &fs) < 0 || (uint32_t)fs.f_type == OVERLAYFS_SUPER_MAGIC ||
	       (uint32_t)fs.f_type == BTRFS_SUPER_MAGIC || (uint32_t)fs.f_type == BCACHEFS_MAGIC ||
	       (!(dev >> 20) && !file_generation(fd));
}

struct read_request {
	struct eddy_file_event ev;
	unsigned int queue; /* that the second descriptor is of */
	bool is_last;	    /* whatever queue the file belongs to */
};

static void read_job(const struct worker_request *request, struct worker_answer *answer)
{
	const struct read_request *r = (const void *)request->bytes;
	const struct eddy_file_event *asked = &r->ev;
	_cleanup_close_ int fd = regular_file_reopen(request->fds[0]);
	struct mapped_copy copy = { .fd = -1 };

	answer->status = fd == -EINVAL ? -ENODEV : fd < 0 ? -EACCES : 0;
	if (fd < 0)
		return;
	answer->status = far_stat_here(fd, &copy.stat);
	if (!answer->status && !is_asked_for(fd, asked))
		answer->status = -ESTALE;
	if (answer->status)
		return;
	copy.gen = file_generation(fd);
	copy.has_unknown_key = has_unknown_key(fd, asked->key.dev);
	copy.watch = -1;
	copy.queue = r->is_last ? r->queue : file_watch_queue(copy.stat.owner);
	if (copy.queue == r->queue) {
		/* Before it is read: what is written meanwhile is told of. */
		copy.watch = file_watch_begin(request->fds[1], fd);
		answer->fd = elf_copy_here(request->parser, fd, ELF_PARTS_UNWIND);
	}
	answer->len = sizeof(copy);
	answer->bytes = xmalloc(sizeof(copy));
	memcpy(answer->bytes, &copy, sizeof(copy));
}

/* ---- in the program ----------------------------------------------------------------------- */

static int job_run(struct worker_pool *pool, const struct worker_job *job,
		   struct worker_answer *answer)
{
	int r = worker_pool_run(pool, job, answer);

	return r < 0 ? r : worker_answer_error(answer);
}

int mapping_open(struct worker_pool *pool, const struct asked_mapping *asked)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	struct worker_job job = { .fn = open_job,
				  .key = far_process_of((pid_t)asked->ev->pid, asked->owner),
				  .bytes = asked->ev,
				  .len = sizeof(*asked->ev) };
	int r;

	job.key.patience_ns = asked->patience_ns;
	r = job_run(pool, &job, &a);

	if (!r && a.fd < 0)
		r = -EPIPE;
	return r < 0 ? r : take_fd(&a.fd);
}

/* The file's owner is known to the worker alone; most are the system's. */
int mapping_read(struct worker_pool *pool, const struct asked_mapping *asked, int fd,
		 const struct file_watch_fds *watch, struct mapped_copy *ret_copy)
{
	const struct eddy_unwind_key *key = &asked->ev->key;
	struct read_request request = { .ev = *asked->ev, .queue = FILE_WATCH_SYSTEM };

	request.is_last = !watch;
	for (;;) {
		_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
		const struct worker_job job = {
			.fn = read_job,
			.key = far_inode(file_key_st_dev(key), key->ino, asked->owner),
			.bytes = &request,
			.len = sizeof(request),
			.fds = (int[2]){ fd, watch ? watch->fd[request.queue] : -1 },
		};
		int r = job_run(pool, &job, &a);

		if (!r && a.len != sizeof(*ret_copy))
			r = -EPIPE;
		if (r < 0)
			return r;
		memcpy(ret_copy, a.bytes, sizeof(*ret_copy));
		ret_copy->fd = take_fd(&a.fd);
		ret_copy->stat.owner = asked->owner;
		if (request.is_last || ret_copy->queue == request.queue)
			return 0;
		request.queue = ret_copy->queue % FILE_WATCH_QUEUES;
		request.is_last = true;
	}
}
