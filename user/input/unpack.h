/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packed bytes, unpacked as they come: gzip, xz, zstd, bzip2, each of any number of members.  No
 * format is given more memory than UNPACK_MAX_MEMORY, whatever its header asks for.
 */
#ifndef EDDY_INPUT_UNPACK_H
#define EDDY_INPUT_UNPACK_H

#include <bzlib.h>
#include <lzma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

#include "util/cleanup.h"

#define UNPACK_MAX_MEMORY  (UINT64_C(256) << 20)
#define UNPACK_MAGIC_BYTES 10
#define UNPACK_WINDOW_LOG  27 /* zstd's window: 128 MiB, what zstd itself unpacks unasked */

struct unpack_format;

struct unpack {
	const struct unpack_format *format;
	const char *name; /* of the format: "gzip" */
	bool is_gzip;
	/* What is to be unpacked and where to; both move on. */
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
	unsigned int max_ratio; /* what unpacks to more than this many times its size is a bomb */
	bool is_open;		/* inside a member */
	const char *why;	/* of the last error */
	union {
		z_stream gzip;
		lzma_stream xz;
		ZSTD_DStream *zstd;
		bz_stream bzip2;
	};
};

/*
 * Begins with what an input begins with.  1; 0: it is not packed; -ENOMEM: the library does not
 * start.
 */
int unpack_init(struct unpack *u, const uint8_t *begin, size_t len);
void unpack_deinit(struct unpack *u);

/*
 * Unpacks from in to out as far as it goes; at_end: nothing comes behind in.  0, or -EINVAL with
 * `why`.  At the end of a member is_open becomes false; a call that moves neither in nor out says
 * that more input is needed.
 */
int unpack_run(struct unpack *u, bool at_end);

#endif
