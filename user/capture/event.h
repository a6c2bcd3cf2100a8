/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the CPUs are sampled by: a perf event by its name, as perf(1) spells it.
 * Sources: perf_event_open(2), tools of the kernel tree for the names.
 */
#ifndef EDDY_CAPTURE_EVENT_H
#define EDDY_CAPTURE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/event_name.h"
#include "util/diag.h"
#include "util/strbuf.h"

struct capture_event {
	char name[128]; /* as it was asked for; what "auto" became */
	struct event_code code;
	uint8_t precise;    /* precise_ip, 0 to 3 */
	bool is_clock;	    /* ticks with time: the number of samples due is known */
	bool is_tracepoint; /* fires a BPF tracepoint program, on all CPUs */
};

/* How often: exactly one of the two is not zero. */
struct capture_rate {
	uint64_t freq_hz;
	uint64_t period; /* events; nanoseconds for the clocks */
};

/*
 * Does a sample weigh its period?  For a frequency on an event that is no clock the kernel adapts
 * the period all the time; where it is fixed each sample stands for as many events.
 */
static inline bool capture_is_weighed(const struct capture_event *event,
				      const struct capture_rate *rate)
{
	return rate->freq_hz && !event->is_clock && !event->is_tracepoint;
}

/* "sched:sched_switch", and not "cycles:u": is_tracepoint of what capture_event_parse() makes. */
bool capture_event_is_tracepoint_name(const char *name);

/* Can the kernel sample at that rate?  -EINVAL and a diag that names the option when not. */
int capture_rate_check(const struct capture_event *event, const struct capture_rate *rate,
		       struct diag *ret_diag);

/*
 * What capture/event_name.h knows, "auto" (cycles where the machine has it, else cpu-clock) or
 * "subsystem:tracepoint".  -EINVAL and a diag with near names when there is no such event; -ENOENT
 * when this machine does not have it.
 */
int capture_event_parse(const char *name, struct capture_event *ret_event, struct diag *ret_diag);

/*
 * Opens the event for all tasks on one CPU, disabled, with time_enabled and time_running to be
 * read.  The fd, or -errno with a diag that says what to do about it.
 */
int capture_event_open(const struct capture_event *event, const struct capture_rate *rate,
		       uint32_t cpu, struct diag *ret_diag);

/*
 * Is it raised by the kernel's own code with the registers of its caller, of which only pc and sp
 * mean something, and not with those of an interrupted CPU?
 */
bool capture_event_has_caller_regs(const struct capture_event *event);

/* Is it counted by the CPU, or another device? */
bool capture_event_is_hardware(const struct capture_event *event);

/* Adds one sentence: what this event cannot see. */
void capture_event_blind_spot(const struct capture_event *event, struct strbuf *to);

/* kernel.perf_event_max_sample_rate now; 0 when unreadable. */
uint64_t capture_max_sample_rate_hz(void);

#endif
