/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that came out of the ring while the turn before theirs was being closed: they wait, in
 * their order.
 */
#ifndef EDDY_CAPTURE_EARLY_RECORDS_H
#define EDDY_CAPTURE_EARLY_RECORDS_H

#include <stddef.h>

/* One behind the other: their bytes, then themselves, padded to 8.  All zero: none. */
struct early_records {
	char *bytes;
	size_t len, cap;
};

void early_records_put(struct early_records *e, const void *data, size_t bytes);
/* Hands all of them over; what is put meanwhile waits again. */
void early_records_take(struct early_records *e,
			void (*record)(void *ctx, const void *data, size_t bytes), void *ctx);
void early_records_deinit(struct early_records *e);
size_t early_records_bytes(const struct early_records *e); /* memory */

#endif
