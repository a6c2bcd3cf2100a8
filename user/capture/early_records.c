// SPDX-License-Identifier: GPL-2.0-or-later
/* A record's length stands before it, so that all of them are one piece of memory. */
#include "capture/early_records.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

static size_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~7ull;
}

void early_records_put(struct early_records *e, const void *data, size_t bytes)
{
	uint64_t size = bytes;

	array_reserve(e->bytes, e->cap, e->len + sizeof(size) + padded(size));
	memcpy(e->bytes + e->len, &size, sizeof(size));
	memcpy(e->bytes + e->len + sizeof(size), data, bytes);
	e->len += sizeof(size) + padded(size);
}

void early_records_take(struct early_records *e,
			void (*record)(void *ctx, const void *data, size_t bytes), void *ctx)
{
	struct early_records taken = *e;
	uint64_t size;

	*e = (struct early_records){ 0 };
	for (size_t at = 0; at < taken.len; at += sizeof(size) + padded(size)) {
		memcpy(&size, taken.bytes + at, sizeof(size));
		record(ctx, taken.bytes + at + sizeof(size), size);
	}
	free(taken.bytes);
}

void early_records_deinit(struct early_records *e)
{
	free(e->bytes);
}

size_t early_records_bytes(const struct early_records *e)
{
	return e->cap;
}
