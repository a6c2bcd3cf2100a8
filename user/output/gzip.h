/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packing on the way to a file: a stream whose bytes come out at another as one gzip member. */
#ifndef EDDY_OUTPUT_GZIP_H
#define EDDY_OUTPUT_GZIP_H

#include <stdio.h>

/*
 * A stream that packs (RFC 1952, no name, no time: equal bytes give equal files) what is written to
 * it into `to`, which stays the caller's and must outlive it.  fclose() writes the end and fails
 * when zlib did; errors of `to` itself are for whoever closes that.  Level 1 (fast) to 9 (small);
 * NULL when zlib or stdio cannot start.
 */
FILE *gzip_stream_new(FILE *to, int level);

#endif
