// SPDX-License-Identifier: GPL-2.0-or-later
/* deflate() behind fopencookie(3). */
#include "output/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define PACKED_BYTES (64 * 1024)
#define BUFFER_BYTES (64 * 1024)

struct gzip {
	z_stream z;
	FILE *to;
	unsigned char packed[PACKED_BYTES];
};

/* Packs what z has; with Z_FINISH to the very end. */
static int pack(struct gzip *g, int flush)
{
	int r;

	do {
		size_t nr;

		g->z.next_out = g->packed;
		g->z.avail_out = PACKED_BYTES;
		r = deflate(&g->z, flush);
		if (r == Z_STREAM_ERROR)
			return -1;
		nr = PACKED_BYTES - g->z.avail_out;
		if (fwrite(g->packed, 1, nr, g->to) != nr)
			return -1;
	} while (!g->z.avail_out);
	return 0;
}

static ssize_t gzip_write(void *cookie, const char *bytes, size_t size)
{
	struct gzip *g = cookie;

	g->z.next_in = (unsigned char *)bytes;
	g->z.avail_in = size; /* no more than the stream's buffer, or one fwrite() */
	return pack(g, Z_NO_FLUSH) < 0 ? 0 : (ssize_t)size;
}

static int gzip_close(void *cookie)
{
	struct gzip *g = cookie;
	int r;

	g->z.avail_in = 0;
	r = pack(g, Z_FINISH);
	deflateEnd(&g->z);
	free(g);
	return r;
}

FILE *gzip_stream_new(FILE *to, int level)
{
	_cleanup_free_ struct gzip *g = xcalloc(1, sizeof(*g));
	FILE *f;

	g->to = to;
	if (deflateInit2(&g->z, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	f = fopencookie(g, "w",
			(cookie_io_functions_t){ .write = gzip_write, .close = gzip_close });
	if (!f) {
		deflateEnd(&g->z);
		return NULL;
	}
	g = NULL; /* the stream's */
	setvbuf(f, NULL, _IOFBF, BUFFER_BYTES);
	return f;
}
