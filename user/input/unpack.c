// SPDX-License-Identifier: GPL-2.0-or-later
/* A row of functions for each library; what they have in common stands in source.c. */
#include "input/unpack.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "util/mem.h"

struct unpack_format {
	const char *name;
	unsigned int max_ratio;
	bool (*is)(const uint8_t *begin, size_t len);
	int (*init)(struct unpack *u);
	int (*run)(struct unpack *u, bool at_end);
	void (*deinit)(struct unpack *u);
};

static int fail(struct unpack *u, const char *why)
{
	u->why = why;
	return -EINVAL;
}

/* The libraries count in 32 bits. */
static unsigned int at_most(size_t len)
{
	return len < UINT_MAX ? len : UINT_MAX;
}

/* ---- gzip --------------------------------------------------------------------------------- */

static bool gzip_is(const uint8_t *begin, size_t len)
{
	return len >= 2 && !memcmp(begin, "\x1f\x8b", 2);
}

static int gzip_init(struct unpack *u)
{
	return inflateInit2(&u->gzip, 16 + MAX_WBITS) == Z_OK ? 0 : -ENOMEM;
}

static int gzip_run(struct unpack *u, bool at_end)
{
	unsigned int in = at_most(u->in_len), out = at_most(u->out_len);
	z_stream *z = &u->gzip;
	int r;

	(void)at_end;
	z->next_in = (uint8_t *)u->in;
	z->avail_in = in;
	z->next_out = u->out;
	z->avail_out = out;
	r = inflate(z, Z_NO_FLUSH);
	u->in += in - z->avail_in;
	u->in_len -= in - z->avail_in;
	u->out += out - z->avail_out;
	u->out_len -= out - z->avail_out;
	u->is_open = r != Z_STREAM_END;
	if (r == Z_STREAM_END)
		inflateReset(z);
	else if (r != Z_OK && r != Z_BUF_ERROR)
		return fail(u, z->msg ?: "unexpected end");
	return 0;
}

static void gzip_deinit(struct unpack *u)
{
	inflateEnd(&u->gzip);
}

/* ---- xz ----------------------------------------------------------------------------------- */

static bool xz_is(const uint8_t *begin, size_t len)
{
	return len >= 6 && !memcmp(begin,
				   "\xfd"
				   "7zXZ\0",
				   6);
}

static int xz_init(struct unpack *u)
{
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&u->xz, UNPACK_MAX_MEMORY, LZMA_CONCATENATED) == LZMA_OK
		       ? 0
		       : -ENOMEM;
}

static int xz_run(struct unpack *u, bool at_end)
{
	lzma_stream *x = &u->xz;
	lzma_ret r;

	x->next_in = u->in;
	x->avail_in = u->in_len;
	x->next_out = u->out;
	x->avail_out = u->out_len;
	r = lzma_code(x, at_end ? LZMA_FINISH : LZMA_RUN);
	u->in = x->next_in;
	u->in_len = x->avail_in;
	u->out = x->next_out;
	u->out_len = x->avail_out;
	u->is_open = r != LZMA_STREAM_END;
	switch (r) {
	case LZMA_OK:
	case LZMA_STREAM_END:
	case LZMA_BUF_ERROR:
		return 0;
	case LZMA_MEMLIMIT_ERROR:
		return fail(u, "it takes more than 256 MiB of memory to unpack");
	case LZMA_FORMAT_ERROR:
		return fail(u, "what follows is not xz");
	default:
		return fail(u, "the data is corrupt");
	}
}

static void xz_deinit(struct unpack *u)
{
	lzma_end(&u->xz);
}

/* ---- zstd --------------------------------------------------------------------------------- */

static bool zstd_is(const uint8_t *begin, size_t len)
{
	return len >= 4 && !memcmp(begin, "\x28\xb5\x2f\xfd", 4);
}

static int zstd_init(struct unpack *u)
{
	u->zstd = ZSTD_createDStream();
	if (!u->zstd)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, UNPACK_WINDOW_LOG);
	return 0;
}

static int zstd_run(struct unpack *u, bool at_end)
{
	ZSTD_inBuffer in = { u->in, u->in_len, 0 };
	ZSTD_outBuffer out = { u->out, u->out_len, 0 };
	size_t r = ZSTD_decompressStream(u->zstd, &out, &in);

	(void)at_end;
	if (ZSTD_isError(r))
		return fail(u, ZSTD_getErrorName(r));
	u->in += in.pos;
	u->in_len -= in.pos;
	u->out += out.pos;
	u->out_len -= out.pos;
	u->is_open = r != 0;
	return 0;
}

static void zstd_deinit(struct unpack *u)
{
	ZSTD_freeDStream(u->zstd);
}

/* ---- bzip2 -------------------------------------------------------------------------------- */

/* "BZh9" alone could be the name of a function: the block's or the end's magic follows. */
static bool bzip2_is(const uint8_t *begin, size_t len)
{
	return len >= 10 && !memcmp(begin, "BZh", 3) && begin[3] >= '1' && begin[3] <= '9' &&
	       (!memcmp(begin + 4, "1AY&SY", 6) ||
		!memcmp(begin + 4, "\x17\x72\x45\x38\x50\x90", 6));
}

static int bzip2_init(struct unpack *u)
{
	u->bzip2 = (bz_stream){ 0 };
	return BZ2_bzDecompressInit(&u->bzip2, 0, 0) == BZ_OK ? 0 : -ENOMEM;
}

static int bzip2_run(struct unpack *u, bool at_end)
{
	unsigned int in = at_most(u->in_len), out = at_most(u->out_len);
	bz_stream *b = &u->bzip2;
	int r;

	(void)at_end;
	b->next_in = (char *)u->in;
	b->avail_in = in;
	b->next_out = (char *)u->out;
	b->avail_out = out;
	r = BZ2_bzDecompress(b);
	u->in += in - b->avail_in;
	u->in_len -= in - b->avail_in;
	u->out += out - b->avail_out;
	u->out_len -= out - b->avail_out;
	u->is_open = r != BZ_STREAM_END;
	if (r == BZ_STREAM_END) {
		BZ2_bzDecompressEnd(b);
		return bzip2_init(u) < 0 ? fail(u, "no memory") : 0;
	}
	return r == BZ_OK ? 0 : fail(u, "the data is corrupt");
}

static void bzip2_deinit(struct unpack *u)
{
	BZ2_bzDecompressEnd(&u->bzip2);
}

/* ---- all ---------------------------------------------------------------------------------- */

/*
 * Profiles pack 10 to 60 times smaller with gzip, which cannot do more than 1032; the others have
 * no such end and larger windows.
 */
static const struct unpack_format formats[] = {
	{ "gzip", 400, gzip_is, gzip_init, gzip_run, gzip_deinit },
	{ "xz", 4000, xz_is, xz_init, xz_run, xz_deinit },
	{ "zstd", 4000, zstd_is, zstd_init, zstd_run, zstd_deinit },
	{ "bzip2", 4000, bzip2_is, bzip2_init, bzip2_run, bzip2_deinit },
};

int unpack_init(struct unpack *u, const uint8_t *begin, size_t len)
{
	*u = (struct unpack){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		int r;

		if (!formats[i].is(begin, len))
			continue;
		u->name = formats[i].name;
		u->is_gzip = formats[i].is == gzip_is;
		u->max_ratio = formats[i].max_ratio;
		r = formats[i].init(u);
		if (r < 0)
			return r;
		u->format = &formats[i];
		return 1;
	}
	return 0;
}

void unpack_deinit(struct unpack *u)
{
	if (u->format)
		u->format->deinit(u);
	u->format = NULL;
}

int unpack_run(struct unpack *u, bool at_end)
{
	return u->format->run(u, at_end);
}
