/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hash functions for tables in memory.  Not stable across versions: never write one to a file. */
#ifndef EDDY_UTIL_HASH_H
#define EDDY_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The 128-bit product folded to 64 bits: every input bit reaches every output bit. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m =
		(unsigned __int128)(a ^ 0x9e3779b97f4a7c15ull) * (b ^ 0xd6e8feb86659fd93ull);

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t hash_u64(uint64_t v)
{
	return hash_mix(v, 0xa0761d6478bd642full);
}

static inline uint64_t hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = len * 0xe7037ed1a0b428dbull, a, b;

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
	return hash_mix(a ^ h, b ^ 0x8ebc6af09c88c6e3ull);
}

#endif
