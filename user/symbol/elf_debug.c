// SPDX-License-Identifier: GPL-2.0-or-later
/* .gnu_debuglink, and xz-packed tables inside the program. */
#include "symbol/elf_debug.h"

#include <elf.h>
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/mem.h"

#define MAX_LZMA_BYTES (64u << 20) /* memory of the decoder itself */
#define CHUNK_BYTES    (64u << 10)

bool elf_debug_link_is_sound(const struct elf_debug_link *link)
{
	const char *name = link->name;

	return memchr(name, '\0', sizeof(link->name)) && *name && !strchr(name, '/') &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* The name, its NUL, up to three more of them, the CRC. */
bool elf_debug_link_read(const struct elf_image *img, struct elf_debug_link *ret_link)
{
	const struct elf_section *s = elf_image_section_by_name(img, ".gnu_debuglink");
	struct elf_debug_link link = { 0 };
	char bytes[sizeof(link.name) + 8];
	size_t len, at;

	*ret_link = link;
	if (!s || s->type == SHT_NOBITS || s->bytes > sizeof(bytes) ||
	    elf_image_read(img, s->offset, bytes, s->bytes) < 0)
		return false;
	len = strnlen(bytes, s->bytes);
	at = (len + 4) & ~(size_t)3;
	if (len >= sizeof(link.name) || at + sizeof(link.crc) > s->bytes)
		return false;
	memcpy(link.name, bytes, len);
	memcpy(&link.crc, bytes + at, sizeof(link.crc));
	if (!elf_debug_link_is_sound(&link))
		return false;
	*ret_link = link;
	return true;
}

static int write_all(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= n;
	}
	return 0;
}

struct unpack {
	lzma_stream lzma;
	uint64_t offset, left; /* packed bytes not read yet */
	unsigned char in[CHUNK_BYTES], out[CHUNK_BYTES];
};

static int fill_input(const struct elf_image *img, struct unpack *u)
{
	size_t n = u->left < CHUNK_BYTES ? u->left : CHUNK_BYTES;
	int r;

	if (u->lzma.avail_in || !n)
		return 0;
	r = elf_image_read(img, u->offset, u->in, n);
	if (r < 0)
		return r;
	u->lzma.next_in = u->in;
	u->lzma.avail_in = n;
	u->offset += n;
	u->left -= n;
	return 0;
}

static int unpack_to(const struct elf_image *img, struct unpack *u, int fd, uint64_t max_bytes)
{
	for (;;) {
		lzma_ret done;
		int r = fill_input(img, u);

		if (r < 0)
			return r;
		u->lzma.next_out = u->out;
		u->lzma.avail_out = CHUNK_BYTES;
		done = lzma_code(&u->lzma, u->left || u->lzma.avail_in ? LZMA_RUN : LZMA_FINISH);
		if (done != LZMA_OK && done != LZMA_STREAM_END)
			return -EBADMSG;
		if (u->lzma.total_out > max_bytes)
			return -EFBIG;
		r = write_all(fd, u->out, CHUNK_BYTES - u->lzma.avail_out);
		if (r < 0)
			return r;
		if (done == LZMA_STREAM_END)
			return 0;
	}
}

int elf_debug_open_embedded(const struct elf_image *img, uint64_t max_bytes)
{
	const struct elf_section *s = elf_image_section_by_name(img, ".gnu_debugdata");
	_cleanup_free_ struct unpack *u = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (!s)
		return -ENOENT;
	if (!max_bytes)
		return -EFBIG;
	fd = memfd_create("eddy-debugdata", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	u = xcalloc(1, sizeof(*u));
	u->lzma = (lzma_stream)LZMA_STREAM_INIT;
	u->offset = s->offset;
	u->left = s->bytes;
	if (lzma_stream_decoder(&u->lzma, MAX_LZMA_BYTES, 0) != LZMA_OK)
		return -ENOMEM;
	r = unpack_to(img, u, fd, max_bytes);
	lzma_end(&u->lzma);
	return r < 0 ? r : take_fd(&fd);
}
