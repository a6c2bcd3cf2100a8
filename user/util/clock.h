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

/*
 * One moment on three clocks.  Between two of them `real` may have been set, `boot` goes on while
 * the machine is suspended, `mono` does not.
 */
struct instant {
	uint64_t real_ns, boot_ns, mono_ns;
};

/*
 * Whoever loses the CPU between two readings would see the clock set: the closest of a few
 * attempts.
 */
static inline struct instant instant_now(void)
{
	struct instant best = { 0 };
	uint64_t best_ns = UINT64_MAX;

	for (int attempt = 0; attempt < 5 && best_ns > 100000; attempt++) {
		uint64_t from = clock_ns(CLOCK_MONOTONIC);
		struct instant now = { clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_BOOTTIME),
				       clock_ns(CLOCK_MONOTONIC) };

		if (now.mono_ns - from >= best_ns)
			continue;
		best_ns = now.mono_ns - from;
		best = now;
	}
	return best;
}

#endif
