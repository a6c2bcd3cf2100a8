/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a timer that cannot interrupt comes late: code that runs with interrupts off has its
 * samples in the function that lets them in again, which has hardly any work of its own
 * (_raw_spin_unlock_irqrestore and the like).  They are of the function that called it.
 */
#ifndef EDDY_ANALYSIS_LATE_ROWS_H
#define EDDY_ANALYSIS_LATE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"
#include "util/diag.h"

struct late_row {
	frame_id function;  /* that called one which lets interrupts in; else that one */
	uint64_t late;	    /* samples that end in such a one that it called */
	uint64_t inclusive; /* of the function */
};

struct late_rows {
	struct late_row *rows; /* most late samples first, then by name bytewise */
	size_t nr;
	uint64_t late; /* of all */
};

/* Of a profile before any pass.  ret_rows is overwritten; late_rows_deinit() it. */
int late_rows_find(const struct profile *p, struct late_rows *ret_rows, struct diag *ret_diag);
void late_rows_deinit(struct late_rows *rows); /* zero-filled is fine */
#define _cleanup_late_rows_ __attribute__((cleanup(late_rows_deinit)))

#endif
