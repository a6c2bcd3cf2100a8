/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture that goes on, and the rate that it may sample at. */
#ifndef EDDY_RUN_CAPTURE_RATE_H
#define EDDY_RUN_CAPTURE_RATE_H

#include "run/capture_run.h"
#include "run/capture_source.h"
#include "run/overhead.h"

struct capture_run {
	struct capture_request request;
	struct capture_source source;
	size_t names_bytes; /* of its frames after their first window; 0: not yet */
	uint64_t start_ns;  /* CLOCK_MONOTONIC */
	uint64_t end_ns;    /* of the run, CLOCK_MONOTONIC; UINT64_MAX: none */
	uint64_t look_ns;   /* when to look at CPUs again */
	uint64_t heap_ns;   /* when to give back freed memory again */
	struct overhead overhead;
	struct cost_reading {
		uint64_t mono_ns, cpu_ns, bpf_ns, enabled_ns;
	} cost_then; /* when the cost was looked at last */
	struct loss_reading {
		uint64_t mono_ns, taken, squeezed;
	} loss_then; /* when room was */
	struct window_clock clock;
	struct capture_reading before;	/* at the window's start */
	struct capture_account account; /* of the window, as far as it is known */
};

/* What it has cost until now, in the kernel and here. */
struct cost_reading capture_rate_read_cost(struct capture_run *run);
/* Another rate when eddy costs more than it may, in the kernel and here, or less again. */
int capture_rate_keep_overhead(struct capture_run *run, uint64_t now_ns, struct diag *ret_diag);
/*
 * Another rate when samples found no room: more of them would say less.  Windows that go on for
 * weeks keep theirs, a bad moment is no reason to lower all that come.
 */
int capture_rate_keep_up(struct capture_run *run, uint64_t now_ns, struct diag *ret_diag);

#endif
