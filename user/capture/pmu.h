/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of a CPU's counters as sysfs describes them: "cpu/event=0x3c,umask=0x1/", "cpu/cache-
 * misses/".  A directory for each PMU holds `type`, `format/TERM` (which bits of which word a term
 * is, "config1:0-7,32-35") and `events/NAME` (terms that have a name).
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events} of Linux.
 */
#ifndef EDDY_CAPTURE_PMU_H
#define EDDY_CAPTURE_PMU_H

#include <stdint.h>

#include "util/diag.h"

#define PMU_ROOT       "/sys/bus/event_source/devices"
#define PMU_NR_CONFIGS 3 /* config, config1, config2 */

struct pmu_event {
	uint32_t type; /* of struct perf_event_attr */
	uint64_t config[PMU_NR_CONFIGS];
};

/*
 * "PMU/TERMS/" (what is behind the last slash is not looked at) by what is under root.  TERMS are
 * joined by ',': NAME=VALUE (decimal, 0x or octal), NAME of one bit or of an event.  -ENOENT when
 * there is no such PMU, -EINVAL for terms; a diag that says which, and what there is.
 */
int pmu_parse(const char *root, const char *text, struct pmu_event *ret_event,
	      struct diag *ret_diag);
/* The highest precise_ip that the CPU's own PMU tells of; 0 when it tells nothing. */
unsigned int pmu_max_precise(const char *root);

#endif
