/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip that is there as a whole, unpacked by libdeflate: two to three times as fast as zlib, which
 * unpacks as the bytes come.
 */
#ifndef EDDY_INPUT_GUNZIP_WHOLE_H
#define EDDY_INPUT_GUNZIP_WHOLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * All members of `packed`, one behind the other, malloc'ed; NULL: they unpack to more than
 * max_bytes, or something is wrong with them: zlib says what.
 */
char *gunzip_whole(const uint8_t *packed, size_t len, size_t max_bytes, size_t *ret_len);

#endif
