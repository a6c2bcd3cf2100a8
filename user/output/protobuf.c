// SPDX-License-Identifier: GPL-2.0-or-later
/* A field is its number and the kind of what follows, then that. */
#include "output/protobuf.h"

enum wire_kind { WIRE_VARINT = 0, WIRE_BYTES = 2 };

#define MAX_VARINT_BYTES 10

void protobuf_add_varint(struct strbuf *sb, uint64_t value)
{
	char bytes[MAX_VARINT_BYTES];
	size_t nr = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[nr++] = (char)(value | 0x80);
	bytes[nr++] = (char)value;
	strbuf_add(sb, bytes, nr);
}

static void add_tag(struct strbuf *sb, unsigned int field, enum wire_kind kind)
{
	protobuf_add_varint(sb, (uint64_t)field << 3 | kind);
}

void protobuf_add_number(struct strbuf *sb, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	add_tag(sb, field, WIRE_VARINT);
	protobuf_add_varint(sb, value);
}

void protobuf_add_bytes(struct strbuf *sb, unsigned int field, const char *bytes, size_t len)
{
	add_tag(sb, field, WIRE_BYTES);
	protobuf_add_varint(sb, len);
	strbuf_add(sb, bytes, len);
}
