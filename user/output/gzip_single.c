// SPDX-License-Identifier: GPL-2.0-or-later
/* zlib behind fopencookie(3): slower than libdeflate, but it packs as the bytes come. */
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "output/gzip.h"
#include "util/cleanup.h"
#include "util/mem.h"

#define BUFFER_BYTES   (64 * 1024)
#define GZIP_WINDOW    (15 + 16) /* the largest, and a gzip header in front */
#define DEFAULT_MEMORY 8

struct gzip_single {
	z_stream z;
	FILE *to;
	unsigned char packed[BUFFER_BYTES];
};

/* Packs what z has been given, with Z_FINISH to the end. */
static int pack(struct gzip_single *g, int flush)
{
	do {
		size_t nr;

		g->z.next_out = g->packed;
		g->z.avail_out = sizeof(g->packed);
		deflate(&g->z, flush);
		nr = sizeof(g->packed) - g->z.avail_out;
		if (fwrite(g->packed, 1, nr, g->to) != nr)
			return -1;
	} while (!g->z.avail_out);
	return 0;
}

static ssize_t single_write(void *cookie, const char *bytes, size_t size)
{
	struct gzip_single *g = cookie;

	for (size_t at = 0, nr; at < size; at += nr) {
		nr = size - at < BUFFER_BYTES ? size - at : BUFFER_BYTES;
		g->z.next_in = (unsigned char *)bytes + at;
		g->z.avail_in = nr;
		if (pack(g, Z_NO_FLUSH) < 0)
			return 0;
	}
	return (ssize_t)size;
}

static int single_close(void *cookie)
{
	_cleanup_free_ struct gzip_single *g = cookie;
	int r = pack(g, Z_FINISH);

	deflateEnd(&g->z);
	return r;
}

FILE *gzip_stream_new_single(FILE *to, int level)
{
	_cleanup_free_ struct gzip_single *g = xcalloc(1, sizeof(*g));
	FILE *f;

	g->to = to;
	if (deflateInit2(&g->z, level, Z_DEFLATED, GZIP_WINDOW, DEFAULT_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	f = fopencookie(g, "w",
			(cookie_io_functions_t){ .write = single_write, .close = single_close });
	if (!f) {
		deflateEnd(&g->z);
		return NULL;
	}
	g = NULL; /* the stream's */
	setvbuf(f, NULL, _IOFBF, BUFFER_BYTES);
	return f;
}
