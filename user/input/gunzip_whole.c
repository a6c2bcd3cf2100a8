// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nothing says in advance how long all members are together: the buffer grows while one does not
 * fit.
 */
#include "input/gunzip_whole.h"

#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define FIRST_RATIO 8

DEFINE_FREE(decompressor, struct libdeflate_decompressor *, libdeflate_free_decompressor)

struct plain {
	char *bytes;
	size_t len, cap, max;
};

static bool grow(struct plain *p)
{
	if (p->cap == p->max)
		return false;
	p->cap = p->cap < p->max / 2 ? p->cap * 2 : p->max;
	p->bytes = xreallocarray(p->bytes, p->cap, 1);
	return true;
}

/* Packed bytes of the member that begins there; 0: it is damaged, or too large. */
static size_t unpack_member(struct libdeflate_decompressor *d, const uint8_t *in, size_t in_len,
			    struct plain *p)
{
	size_t used, made;
	enum libdeflate_result r;

	do
		r = libdeflate_gzip_decompress_ex(d, in, in_len, p->bytes + p->len, p->cap - p->len,
						  &used, &made);
	while (r == LIBDEFLATE_INSUFFICIENT_SPACE && grow(p));
	if (r != LIBDEFLATE_SUCCESS)
		return 0;
	p->len += made;
	return used;
}

char *gunzip_whole(const uint8_t *packed, size_t len, size_t max_bytes, size_t *ret_len)
{
	_cleanup_(decompressor_freep) struct libdeflate_decompressor *d =
		libdeflate_alloc_decompressor();
	struct plain p = { .max = max_bytes };

	if (!d || !len || !max_bytes)
		return NULL;
	p.cap = len < max_bytes / FIRST_RATIO ? len * FIRST_RATIO : max_bytes;
	p.bytes = xmalloc(p.cap);
	for (size_t at = 0; at < len;) {
		size_t used = unpack_member(d, packed + at, len - at, &p);

		if (!used) {
			free(p.bytes);
			return NULL;
		}
		at += used;
	}
	*ret_len = p.len;
	return p.bytes;
}
