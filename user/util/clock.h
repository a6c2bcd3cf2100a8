/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks as one number: nanoseconds since the clock's own beginning (clock_gettime(2)). */
#ifndef EDDY_UTIL_CLOCK_H
#define EDDY_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
