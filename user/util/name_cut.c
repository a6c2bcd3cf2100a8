// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Not util/hash.h, whose values differ from process to process: what is cut here is written to
 * files and compared with other captures.
 */
#include "util/name_cut.h"

#include <inttypes.h>
#include <stdint.h>

#define MARK_BYTES 20 /* "...#" and 16 digits */

/* FNV-1a, 64 bits: draft-eastlake-fnv. */
static uint64_t hash_for_ever(const char *bytes, size_t len)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3;
	return h;
}

bool name_cut(struct strbuf *name, size_t max_bytes)
{
	uint64_t hash;
	size_t keep;

	if (name->len <= max_bytes)
		return false;
	hash = hash_for_ever(name->bytes, name->len);
	keep = max_bytes - MARK_BYTES;
	/* Of UTF-8 at most three bytes; of other bytes as many are no loss. */
	for (int i = 0; i < 3 && (name->bytes[keep] & 0xc0) == 0x80; i++)
		keep--;
	name->len = keep;
	strbuf_addf(name, "...#%016" PRIx64, hash);
	return true;
}
