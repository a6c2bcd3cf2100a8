/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of events as perf(1) spells them: of software, of hardware ("cycles"), of caches
 * ("LLC-load-misses"), raw codes ("r01c2"), those of a PMU ("cpu/event=0x3c/", capture/pmu.h), and
 * modifiers behind them ("cycles:up", "cpu/cycles/k").  Tracepoints have a parser of their own.
 * Source: perf-list(1), perf_event_open(2).
 */
#ifndef EDDY_CAPTURE_EVENT_NAME_H
#define EDDY_CAPTURE_EVENT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/pmu.h"
#include "util/diag.h"

#define EVENT_SW_CGROUP_SWITCHES 11 /* PERF_COUNT_SW_CGROUP_SWITCHES, 5.13 */

enum event_precision {
	EVENT_PRECISION_NONE,	 /* nothing was said: 0, but of cycles the highest there is */
	EVENT_PRECISION_EXACTLY, /* :p, :pp, :ppp */
	EVENT_PRECISION_HIGHEST, /* :P */
};

struct event_code {
	uint32_t type; /* PERF_TYPE_*, or that of a PMU */
	uint64_t config[PMU_NR_CONFIGS];
	bool exclude_user, exclude_kernel, exclude_hv; /* :u, :k, :h and what they leave out */
	uint8_t precise;			       /* of EVENT_PRECISION_EXACTLY: 1 to 3 */
	uint8_t precision;			       /* enum event_precision */
	bool is_cycles;
};

/* The name of an event of software; NULL: it has none. */
const char *event_name_of_software(uint64_t config);

/* Names of software and hardware, one after the other: i from 0 on; NULL: no more. */
const char *event_name_at(size_t i);

/*
 * What the name means on a machine whose PMUs are under pmu_root.  1 when it is the name of a
 * tracepoint, as far as one can see; -EINVAL or -ENOENT with a diag that says what there is.
 */
int event_name_parse(const char *pmu_root, const char *name, struct event_code *ret_code,
		     struct diag *ret_diag);

#endif
