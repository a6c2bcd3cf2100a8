// SPDX-License-Identifier: GPL-2.0-or-later
/* Two sources of bytes: a descriptor by pread, and memory. */
#include "unwind/elf_source.h"

#include <errno.h>
#include <string.h>
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
