// SPDX-License-Identifier: GPL-2.0-or-later
/* Every length is checked against the message that it stands in. */
#include "input/protobuf_read.h"

#include <errno.h>
#include <string.h>

#define MAX_VARINT_BYTES 10
#define MAX_FIELD	 ((1u << 29) - 1)

enum wire_kind { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

int protobuf_next_number(struct protobuf *p, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (p->at == p->end)
		return 0;
	for (unsigned int i = 0; i < MAX_VARINT_BYTES && p->at < p->end; i++) {
		const uint8_t byte = *p->at++;

		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte & 0x80)
			continue;
		*ret_value = value;
		return 1;
	}
	return -EINVAL;
}

/* A number of so many bytes. */
static int fixed(struct protobuf *p, size_t len, uint64_t *ret_value)
{
	if ((size_t)(p->end - p->at) < len)
		return -EINVAL;
	*ret_value = 0;
	for (size_t i = 0; i < len; i++)
		*ret_value |= (uint64_t)p->at[i] << (8 * i);
	p->at += len;
	return 1;
}

static int bytes(struct protobuf *p, struct protobuf_field *f)
{
	uint64_t len;

	if (protobuf_next_number(p, &len) <= 0 || len > (uint64_t)(p->end - p->at))
		return -EINVAL;
	f->is_bytes = true;
	f->bytes = (struct protobuf){ p->at, p->at + len };
	p->at += len;
	return 1;
}

int protobuf_next(struct protobuf *p, struct protobuf_field *ret_field)
{
	struct protobuf_field f = { .begin = p->at };
	uint64_t tag;
	int r = protobuf_next_number(p, &tag);

	if (r <= 0)
		return r;
	if (tag >> 3 == 0 || tag >> 3 > MAX_FIELD)
		return -EINVAL;
	f.number = tag >> 3;
	switch (tag & 7) {
	case WIRE_VARINT:
		r = protobuf_next_number(p, &f.value);
		break;
	case WIRE_64:
		r = fixed(p, 8, &f.value);
		break;
	case WIRE_BYTES:
		r = bytes(p, &f);
		break;
	case WIRE_32:
		r = fixed(p, 4, &f.value);
		break;
	default: /* groups, which no profile has */
		return -EINVAL;
	}
	if (r <= 0)
		return -EINVAL;
	*ret_field = f;
	return 1;
}

struct protobuf protobuf_numbers(const struct protobuf_field *f, uint8_t scratch[MAX_VARINT_BYTES])
{
	uint64_t value = f->value;
	size_t nr = 0;

	if (f->is_bytes)
		return f->bytes;
	for (; value >= 0x80; value >>= 7)
		scratch[nr++] = (uint8_t)(value | 0x80);
	scratch[nr++] = (uint8_t)value;
	return (struct protobuf){ scratch, scratch + nr };
}
