// SPDX-License-Identifier: GPL-2.0-or-later
/* A parser says where the parts are, a worker copies them. */
#include "elf/elf_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "util/far_file.h"
#include "util/mem.h"
#include "util/regular_file.h"

#define CHUNK_BYTES (256u << 10)

/* ---- in a parser -------------------------------------------------------------------------- */

static void find_parts(const struct worker_request *request, struct worker_answer *answer)
{
	_cleanup_elf_parts_ struct elf_parts parts;
	enum elf_parts_for use;

	memcpy(&use, request->bytes, sizeof(use));
	answer->status = elf_parts_find(request->fds[0], use, &parts);
	if (!answer->status && parts.nr)
		parsed_give(parts.list, parts.nr * sizeof(*parts.list), answer);
}

/* ---- in a worker -------------------------------------------------------------------------- */

/*
 * Where the next bytes are that are no hole, `end` at most.  A file of holes costs its owner
 * nothing, so it is to cost nobody else anything.
 */
static uint64_t skip_hole(int from, uint64_t offset, uint64_t end)
{
	off_t data = lseek(from, (off_t)offset, SEEK_DATA);

	if (data < 0) /* ENXIO: there are none; else the file system does not tell */
		return errno == ENXIO ? end : offset;
	return (uint64_t)data < end ? (uint64_t)data : end;
}

/* Copies a part; 0 or -errno. */
static int part_copy(int from, int to, const struct elf_part *part, char *chunk)
{
	const uint64_t end = part->offset + part->bytes;
	uint64_t offset = part->offset;

	while (offset < end) {
		size_t most = end - offset < CHUNK_BYTES ? end - offset : CHUNK_BYTES;
		ssize_t n;

		if (most == CHUNK_BYTES) {
			uint64_t data = skip_hole(from, offset, end);

			if (data > offset) {
				offset = data;
				continue;
			}
		}
		n = pread(from, chunk, most, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) /* cut off since, or not to be read: zeros are there */
			return n < 0 ? -errno : 0;
		if (pwrite(to, chunk, n, (off_t)offset) != n)
			return -EIO;
		offset += n;
	}
	return 0;
}

/* Nobody's word is taken for where parts are. */
static bool are_inside(const struct elf_part *list, size_t nr, uint64_t file_bytes)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++) {
		if (list[i].offset > file_bytes || list[i].bytes > file_bytes - list[i].offset ||
		    list[i].bytes > ELF_PARTS_MAX_BYTES - sum)
			return false;
		sum += list[i].bytes;
	}
	return true;
}

int elf_copy_parts(int from, int to, uint64_t file_bytes, const void *list, size_t len)
{
	const struct elf_part *parts = list;
	const size_t nr = len / sizeof(*parts);
	_cleanup_free_ char *chunk = NULL;
	int r = 0;

	if (nr > ELF_PARTS_MAX || !are_inside(parts, nr, file_bytes))
		return -EPIPE;
	chunk = xmalloc(CHUNK_BYTES);
	for (size_t i = 0; i < nr && !r; i++)
		r = part_copy(from, to, &parts[i], chunk);
	return r;
}

static int found_copy(int from, int to, uint64_t file_bytes, const struct worker_answer *found)
{
	size_t len = 0;
	const void *list = parsed_map(found, &len);
	int r;

	if (!list)
		return 0;
	r = elf_copy_parts(from, to, file_bytes, list, len);
	munmap((void *)list, len);
	return r;
}

int elf_copy_here(struct worker_parser *parser, int fd, enum elf_parts_for use)
{
	_cleanup_worker_answer_ struct worker_answer found = { .fd = -1 };
	_cleanup_close_ int to = -1;
	struct worker_request request = { .bytes = (const char *)&use,
					  .len = sizeof(use),
					  .fds = { fd, -1 } };
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	r = worker_parse(parser, find_parts, &request, &found);
	r = r < 0 ? r : worker_answer_error(&found);
	if (r < 0)
		return r;
	to = memfd_create("eddy-elf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (to < 0 || ftruncate(to, st.st_size) < 0)
		return -errno;
	r = found_copy(fd, to, st.st_size, &found);
	if (r < 0)
		return r;
	if (fcntl(to, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		return -errno;
	return take_fd(&to);
}

static void copy_job(const struct worker_request *request, struct worker_answer *answer)
{
	_cleanup_close_ int fd = regular_file_reopen(request->fds[0]);
	enum elf_parts_for use;

	memcpy(&use, request->bytes, sizeof(use));
	answer->status = fd;
	if (fd < 0)
		return;
	answer->fd = elf_copy_here(request->parser, fd, use);
	answer->status = answer->fd < 0 ? answer->fd : 0;
}

/* ---- in the program ----------------------------------------------------------------------- */

int elf_copy(struct worker_pool *p, const struct worker_key *key, int fd, enum elf_parts_for use)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	const int fds[2] = { fd, -1 };
	const struct worker_job job = {
		.fn = copy_job, .key = *key, .bytes = &use, .len = sizeof(use), .fds = fds
	};
	int r = worker_pool_run(p, &job, &a);

	if (r < 0)
		return r;
	r = worker_answer_error(&a);
	if (r < 0)
		return r == -EPIPE ? -ECHILD : r;
	return a.fd < 0 || fcntl(a.fd, F_GET_SEALS) < 0 ? -EPIPE : take_fd(&a.fd);
}
