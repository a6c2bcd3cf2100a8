// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libdeflate behind fopencookie(3).  It packs in half of zlib's time, but only what is there as a
 * whole: so a file is members of 256 KiB, one behind the other, as RFC 1952 (2.2) allows.  Members
 * of 1 MiB would be 7 % smaller.
 */
#include "output/gzip.h"

#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define MEMBER_BYTES ((size_t)256 * 1024)
#define BUFFER_BYTES (64 * 1024)

struct gzip {
	struct libdeflate_compressor *compressor;
	FILE *to;
	size_t nr; /* of plain[] */
	bool has_members;
	size_t max_packed;
	unsigned char *packed;
	char plain[MEMBER_BYTES];
};

static void gzip_free(struct gzip *g)
{
	if (!g)
		return;
	libdeflate_free_compressor(g->compressor);
	free(g->packed);
	free(g);
}
DEFINE_FREE(gzip, struct gzip *, gzip_free)

static int write_member(struct gzip *g)
{
	size_t nr =
		libdeflate_gzip_compress(g->compressor, g->plain, g->nr, g->packed, g->max_packed);

	g->nr = 0;
	g->has_members = true;
	return nr && fwrite(g->packed, 1, nr, g->to) == nr ? 0 : -1;
}

static ssize_t gzip_write(void *cookie, const char *bytes, size_t size)
{
	struct gzip *g = cookie;

	for (size_t at = 0, nr; at < size; at += nr) {
		nr = size - at < MEMBER_BYTES - g->nr ? size - at : MEMBER_BYTES - g->nr;
		memcpy(g->plain + g->nr, bytes + at, nr);
		g->nr += nr;
		if (g->nr == MEMBER_BYTES && write_member(g) < 0)
			return 0;
	}
	return (ssize_t)size;
}

/* What is left, or an empty member when nothing was written: no bytes are no gzip file. */
static int gzip_close(void *cookie)
{
	_cleanup_(gzip_freep) struct gzip *g = cookie;

	return g->nr || !g->has_members ? write_member(g) : 0;
}

FILE *gzip_stream_new(FILE *to, int level)
{
	_cleanup_(gzip_freep) struct gzip *g = xcalloc(1, sizeof(*g));
	FILE *f;

	g->to = to;
	g->compressor = libdeflate_alloc_compressor(level);
	if (!g->compressor)
		return NULL;
	g->max_packed = libdeflate_gzip_compress_bound(g->compressor, MEMBER_BYTES);
	g->packed = xmalloc(g->max_packed);
	f = fopencookie(g, "w",
			(cookie_io_functions_t){ .write = gzip_write, .close = gzip_close });
	if (!f)
		return NULL;
	g = NULL; /* the stream's */
	setvbuf(f, NULL, _IOFBF, BUFFER_BYTES);
	return f;
}
