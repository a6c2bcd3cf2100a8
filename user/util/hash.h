/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hash functions for tables in memory.  What they hash others choose (names, files, addresses), so
 * they are keyed: each process has a key of its own, by chance.  Nobody can look for values that
 * fall together, and no hash may be written to a file or decide an order that is seen.
 */
#ifndef EDDY_UTIL_HASH_H
#define EDDY_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_KEYS 4
extern uint64_t hash_key[HASH_KEYS]; /* read only */

/*
 * The 128-bit product folded to 64 bits: every input bit reaches every output bit.  Of one of them
 * alone the high half is a straight line, though: numbers that count up may fall side by side.
 */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)(a ^ hash_key[0]) * (b ^ hash_key[1]);

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t hash_u64(uint64_t v)
{
	return hash_mix(hash_mix(v, hash_key[2]), hash_key[3]);
}

static inline uint64_t hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = len ^ hash_key[2], a, b;

	for (; len > 16; len -= 16, p += 16) {
		memcpy(&a, p, 8);
		memcpy(&b, p + 8, 8);
		h = hash_mix(a ^ h, b);
	}
	a = b = 0;
	if (len >= 8) {
		memcpy(&a, p, 8);
		memcpy(&b, p + len - 8, 8);
	} else if (len >= 4) {
		uint32_t lo, hi;

		memcpy(&lo, p, 4);
		memcpy(&hi, p + len - 4, 4);
		a = lo;
		b = hi;
	} else if (len) {
		a = (uint64_t)p[0] << 16 | (uint64_t)p[len / 2] << 8 | p[len - 1];
	}
	return hash_mix(a ^ h, b ^ hash_key[3]);
}

#endif
