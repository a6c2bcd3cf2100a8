/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire format of protocol buffers, as much of it as writing takes: fields of varints and of
 * bytes, which strings, nested messages and packed lists are.
 */
#ifndef EDDY_OUTPUT_PROTOBUF_H
#define EDDY_OUTPUT_PROTOBUF_H

#include <stdint.h>

#include "util/strbuf.h"

/* Adds a bare number: an element of a packed list.  A negative int64 is cast. */
void protobuf_add_varint(struct strbuf *sb, uint64_t value);
/* Adds a field; one that is 0 is left out, as proto3 has it. */
void protobuf_add_number(struct strbuf *sb, unsigned int field, uint64_t value);
/* Adds a field of bytes, also of none: an element of a repeated field is there. */
void protobuf_add_bytes(struct strbuf *sb, unsigned int field, const char *bytes, size_t len);

#endif
