/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose samples are those of code that ran with interrupts masked.  A timer cannot interrupt it and
 * comes late: its samples are in the function that lets interrupts in again, which has hardly any
 * work of its own (_raw_spin_unlock_irqrestore and the like).  They are of the function that called
 * it.
 */
#ifndef EDDY_ANALYSIS_MASKED_ROWS_H
#define EDDY_ANALYSIS_MASKED_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"
#include "util/diag.h"

struct masked_row {
	frame_id function;  /* that called one which lets interrupts in; else that one */
	uint64_t masked;    /* samples that end in such a one that it called */
	uint64_t inclusive; /* of the function */
};

struct masked_rows {
	struct masked_row *rows; /* most masked samples first, then by name bytewise */
	size_t nr;
	uint64_t masked; /* of all */
};

/* Of a profile before any pass.  ret_rows is overwritten; masked_rows_deinit() it. */
int masked_rows_find(const struct profile *p, struct masked_rows *ret_rows, struct diag *ret_diag);
void masked_rows_deinit(struct masked_rows *rows); /* zero-filled is fine */
#define _cleanup_masked_rows_ __attribute__((cleanup(masked_rows_deinit)))

#endif
