/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads little-endian numbers and LEB128 out of bytes from outside.  A read beyond the end gives 0
 * and marks the reader as failed for good, so that callers check once, after a whole record.
 */
#ifndef EDDY_ELF_BYTE_READER_H
#define EDDY_ELF_BYTE_READER_H

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

/*
 * A LEB128 number without its sign: ret_last is its last byte, ret_bits how many bits were read.
 * Bits beyond 64 are dropped, as every other reader of DWARF does.
 */
static inline uint64_t byte_reader_leb(struct byte_reader *r, uint8_t *ret_last,
				       unsigned int *ret_bits)
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
		*ret_last = byte;
		*ret_bits = shift;
		return value;
	}
	byte_reader_fail(r);
	*ret_last = *ret_bits = 0;
	return 0;
}

static inline uint64_t byte_reader_uleb(struct byte_reader *r)
{
	unsigned int bits;
	uint8_t last;

	return byte_reader_leb(r, &last, &bits);
}

/* One of at most so many bytes: a longer one fails, and takes no more time than that. */
static inline uint64_t byte_reader_uleb_within(struct byte_reader *r, size_t most)
{
	struct byte_reader number = *r;
	uint64_t value;

	if (byte_reader_left(r) > most)
		number.end = r->at + most;
	value = byte_reader_uleb(&number);
	r->at = number.at;
	r->failed |= number.failed;
	return value;
}

static inline int64_t byte_reader_sleb(struct byte_reader *r)
{
	unsigned int bits;
	uint8_t last;
	uint64_t value = byte_reader_leb(r, &last, &bits);

	if (bits < 64 && last & 0x40)
		value |= ~0ull << bits;
	return (int64_t)value;
}

#endif
