/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that tick with time: how many samples are due is known, and what each stands for. */
#ifndef EDDY_UTIL_CLOCK_EVENT_H
#define EDDY_UTIL_CLOCK_EVENT_H

#include <stdbool.h>
#include <string.h>

/* By its name, as perf(1) spells it. */
static inline bool clock_event_is_name(const char *event)
{
	return !strcmp(event, "cpu-clock") || !strcmp(event, "task-clock");
}

#endif
