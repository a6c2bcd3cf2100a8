/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads little-endian numbers and LEB128 out of bytes from outside.  A read beyond the end gives 0
 * and marks the reader as failed for good, so that callers check once, after a whole record.
 */
#ifndef EDDY_UNWIND_BYTE_READER_H
#define EDDY_UNWIND_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_reader {
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

static inline size_t byte_reader_left(const struct byte_reader *r)
{
	return (size_t)(r->end - r->at);
}

/* Marks the reader as failed and empty. */
static inline void byte_reader_fail(struct byte_reader *r)
{
	r->failed = true;
	r->at = r->end;
}

/* The next `len` bytes, or NULL. */
static inline const uint8_t *byte_reader_take(struct byte_reader *r, uint64_t len)
{
	const uint8_t *bytes = r->at;

	if (len > byte_reader_left(r)) {
		byte_reader_fail(r);
		return NULL;
	}
	r->at += len;
	return bytes;
}

#define BYTE_READER_FIXED(bits)                                                 \
	static inline uint##bits##_t byte_reader_u##bits(struct byte_reader *r) \
	{                                                                       \
		const uint8_t *bytes = byte_reader_take(r, bits / 8);           \
		uint##bits##_t value = 0;                                       \
                                                                                \
		if (bytes)                                                      \
			memcpy(&value, bytes, bits / 8);                        \
		return value;                                                   \
	}
BYTE_READER_FIXED(8)
BYTE_READER_FIXED(16)
BYTE_READER_FIXED(32)
BYTE_READER_FIXED(64)

/* Bits beyond 64 are dropped, as every other reader of DWARF does. */
static inline uint64_t byte_reader_uleb(struct byte_reader *r)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (r->at < r->end) {
		uint8_t byte = *r->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
		shift += 7;
	}
	byte_reader_fail(r);
	return 0;
}

static inline int64_t byte_reader_sleb(struct byte_reader *r)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (r->at < r->end) {
		uint8_t byte = *r->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && byte & 0x40)
			value |= ~0ull << shift;
		return (int64_t)value;
	}
	byte_reader_fail(r);
	return 0;
}

#endif
