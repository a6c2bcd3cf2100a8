// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gzip layer, twice: the bytes as a gzip file, and the bytes packed here, cut and read back,
 * which gets past the checksums.  What comes out never exceeds the bound and is what went in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "input/source.h"
#include "util/mem.h"
#include "util/cleanup.h"

enum { MAX_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Reads it all in odd steps; the number of bytes or -errno. */
static ssize_t read_all(const uint8_t *bytes, size_t len, uint8_t *to)
{
	_cleanup_(source_freep) struct source *s = NULL;
	_cleanup_fclose_ FILE *f = fmemopen((void *)bytes, len, "r");
	struct diag diag = { "" };
	size_t done = 0;
	ssize_t n = 0;

	if (!f)
		abort();
	n = source_new(f, "in", MAX_BYTES, &s, &diag);
	while (n >= 0) {
		uint8_t block[7777];

		n = source_read(s, block, sizeof(block), &diag);
		if (n <= 0)
			break;
		if (done + n > MAX_BYTES)
			abort();
		memcpy(to + done, block, n);
		done += n;
	}
	if (n < 0 && !*diag.text)
		abort();
	return n < 0 ? n : (ssize_t)done;
}

static void read_packed(const uint8_t *bytes, size_t len, uint8_t *to)
{
	z_stream z = { .next_in = (uint8_t *)bytes, .avail_in = len };
	_cleanup_free_ uint8_t *packed = NULL;
	size_t cap;

	if (deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	cap = deflateBound(&z, len);
	packed = xmalloc(cap);
	z.next_out = packed;
	z.avail_out = cap;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	cap = z.total_out;
	deflateEnd(&z);
	if (read_all(packed, cap, to) != (ssize_t)len || memcmp(to, bytes, len))
		abort();
	if (cap > 2 && read_all(packed, 2 + bytes[0] % (cap - 2), to) >= 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	_cleanup_free_ uint8_t *to = xmalloc(MAX_BYTES);

	if (!len || len > MAX_BYTES)
		return 0;
	read_all(bytes, len, to);
	read_packed(bytes, len, to);
	return 0;
}
