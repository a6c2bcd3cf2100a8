// SPDX-License-Identifier: GPL-2.0-or-later
/* Two sources of bytes: a descriptor by pread, and memory, which may be a mapping. */
#include "elf/elf_source.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_fd(const struct elf_source *source, void *dst, size_t len, uint64_t offset)
{
	char *at = dst;

	while (len) {
		ssize_t n = pread(source->fd, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENODATA;
		at += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int read_bytes(const struct elf_source *source, void *dst, size_t len, uint64_t offset)
{
	memcpy(dst, source->bytes + offset, len);
	return 0;
}

int elf_source_from_fd(int fd, struct elf_source *ret_source)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*ret_source = (struct elf_source){ .read = read_fd, .len = (uint64_t)st.st_size, .fd = fd };
	return 0;
}

int elf_source_map(int fd, struct elf_source *ret_source)
{
	struct elf_source source = { .fd = -1 };
	int r = elf_source_from_fd(fd, &source);
	void *bytes = MAP_FAILED;

	if (r < 0)
		return r;
	if (source.len && source.len <= SIZE_MAX)
		bytes = mmap(NULL, source.len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes != MAP_FAILED) {
		source.read = read_bytes;
		source.bytes = bytes;
		source.is_mapped = true;
	}
	*ret_source = source;
	return 0;
}

void elf_source_unmap(struct elf_source *source)
{
	if (source->is_mapped)
		munmap((void *)source->bytes, source->len);
	*source = (struct elf_source){ .fd = -1 };
}

struct elf_source elf_source_from_bytes(const void *bytes, size_t len)
{
	return (struct elf_source){ .read = read_bytes, .len = len, .fd = -1, .bytes = bytes };
}

int elf_source_read(const struct elf_source *source, void *dst, uint64_t len, uint64_t offset)
{
	if (offset > source->len || len > source->len - offset)
		return -ENODATA;
	return len ? source->read(source, dst, (size_t)len, offset) : 0;
}

const uint8_t *elf_source_view(const struct elf_source *source, uint64_t len, uint64_t offset)
{
	if (!source->bytes || offset > source->len || len > source->len - offset)
		return NULL;
	return source->bytes + offset;
}
