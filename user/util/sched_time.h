/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a process and its children have run, and have waited for a CPU while they could have
 * run: /proc/PID/schedstat, see Documentation/scheduler/sched-stats.rst of the kernel.  A wait is
 * counted when it is over.
 */
#ifndef EDDY_UTIL_SCHED_TIME_H
#define EDDY_UTIL_SCHED_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sched_time {
	uint64_t ran_ns, waited_ns;
	bool is_runnable; /* one of them runs now, or waits for a CPU */
};

/* Of the first thread of each.  False: it is not there, or the kernel does not tell. */
bool sched_time_read(pid_t pid, struct sched_time *ret_time);

#endif
