// SPDX-License-Identifier: GPL-2.0-or-later
/* Separate debug files, found by build id, and xz-packed tables inside the program. */
#include "symbol/elf_debug.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/mem.h"
#include "util/strbuf.h"

#define MAX_UNPACKED_BYTES (64u << 20)
#define MAX_LZMA_BYTES	   (64u << 20) /* memory of the decoder itself */
#define CHUNK_BYTES	   (64u << 10)

int elf_debug_open_separate(const struct elf_image *img, const char *root)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	int fd;

	if (img->build_id_len < 2)
		return -ENOENT;
	strbuf_addf(&path, "%s/usr/lib/debug/.build-id/%02x/", root, img->build_id[0]);
	for (size_t i = 1; i < img->build_id_len; i++)
		strbuf_addf(&path, "%02x", img->build_id[i]);
	strbuf_addstr(&path, ".debug");
	fd = open(path.bytes, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
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

static int unpack_to(const struct elf_image *img, struct unpack *u, int fd)
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
		if (u->lzma.total_out > MAX_UNPACKED_BYTES)
			return -EFBIG;
		r = write_all(fd, u->out, CHUNK_BYTES - u->lzma.avail_out);
		if (r < 0)
			return r;
		if (done == LZMA_STREAM_END)
			return 0;
	}
}

int elf_debug_open_embedded(const struct elf_image *img)
{
	const struct elf_section *s = elf_image_section_by_name(img, ".gnu_debugdata");
	_cleanup_free_ struct unpack *u = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (!s)
		return -ENOENT;
	fd = memfd_create("eddy-debugdata", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	u = xcalloc(1, sizeof(*u));
	u->lzma = (lzma_stream)LZMA_STREAM_INIT;
	u->offset = s->offset;
	u->left = s->bytes;
	if (lzma_stream_decoder(&u->lzma, MAX_LZMA_BYTES, 0) != LZMA_OK)
		return -ENOMEM;
	r = unpack_to(img, u, fd);
	lzma_end(&u->lzma);
	return r < 0 ? r : take_fd(&fd);
}
