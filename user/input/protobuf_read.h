/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire format of protocol buffers, read in place: a message is a run of fields, each a number
 * or bytes, which strings, nested messages and packed lists are.
 */
#ifndef EDDY_INPUT_PROTOBUF_READ_H
#define EDDY_INPUT_PROTOBUF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of a message. */
struct protobuf {
	const uint8_t *at, *end;
};

struct protobuf_field {
	const uint8_t *begin; /* of the field itself, for messages */
	uint32_t number;
	bool is_bytes;	       /* else a number */
	uint64_t value;	       /* of a number */
	struct protobuf bytes; /* else empty */
};

/* The next number of a run of them: 1, 0 at the end, -EINVAL. */
int protobuf_next_number(struct protobuf *p, uint64_t *ret_value);
/* The next field: 1, 0 at the end, -EINVAL: cut off, or nothing that there is. */
int protobuf_next(struct protobuf *p, struct protobuf_field *ret_field);
/* The numbers of a repeated field, packed or alone; for protobuf_next_number(). */
struct protobuf protobuf_numbers(const struct protobuf_field *f, uint8_t scratch[10]);

#endif
