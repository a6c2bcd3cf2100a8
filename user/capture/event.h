/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the CPUs are sampled by: a perf event by its name, as perf(1) spells it.
 * Sources: perf_event_open(2), tools of the kernel tree for the names.
 */
#ifndef EDDY_CAPTURE_EVENT_H
#define EDDY_CAPTURE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/diag.h"

struct capture_event {
	char name[128]; /* as it was asked for; what "auto" became */
	uint32_t type;	/* PERF_TYPE_* */
	uint64_t config;
	bool is_clock;	    /* ticks with time: the number of samples due is known */
	bool is_tracepoint; /* fires a BPF tracepoint program, on all CPUs */
};

/* How often: exactly one of the two is not zero. */
struct capture_rate {
	uint64_t freq_hz;
	uint64_t period; /* events; nanoseconds for the clocks */
};

/*
 * "cpu-clock", "task-clock", any software event, "cycles" and its kin, "auto" (cycles where the
 * machine has it, else cpu-clock) or "subsystem:tracepoint".  -EINVAL and a diag with near names
 * when there is no such event; -ENOENT when this machine does not have it.
 */
int capture_event_parse(const char *name, struct capture_event *ret_event, struct diag *ret_diag);

/*
 * Opens the event for all tasks on one CPU, disabled, with time_enabled and time_running to be
 * read.  The fd, or -errno with a diag that says what to do about it.
 */
int capture_event_open(const struct capture_event *event, const struct capture_rate *rate,
		       uint32_t cpu, struct diag *ret_diag);

/* One sentence: what this event cannot see.  Never NULL. */
const char *capture_event_blind_spot(const struct capture_event *event);

/* kernel.perf_event_max_sample_rate now; 0 when unreadable. */
uint64_t capture_max_sample_rate_hz(void);

#endif
