// SPDX-License-Identifier: GPL-2.0-or-later
/* Accounts of intervals, added up. */
#include "live/live_window.h"

void live_account_add(struct live_account *sum, const struct live_account *a)
{
	if (!sum->nr) {
		*sum = *a;
		return;
	}
	sum->end_ms = a->end_ms > sum->end_ms ? a->end_ms : sum->end_ms;
	sum->seconds = sum->seconds && a->seconds ? sum->seconds + a->seconds : 0;
	sum->cpu_seconds =
		sum->cpu_seconds && a->cpu_seconds ? sum->cpu_seconds + a->cpu_seconds : 0;
	sum->due += a->due;
	sum->delivered += a->delivered;
	sum->idle += a->idle;
	sum->filtered += a->filtered;
	sum->kept += a->kept;
	sum->lost += a->lost;
	sum->own_seconds += a->own_seconds;
	sum->bpf_seconds += a->bpf_seconds;
	sum->nr += a->nr;
	sum->is_counted &= a->is_counted;
	sum->has_due &= a->has_due;
}

/* The older half in pairs: time resolution goes, no sample does. */
