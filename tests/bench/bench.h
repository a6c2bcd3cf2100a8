/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the benchmarks measure with. */
#ifndef EDDY_TESTS_BENCH_H
#define EDDY_TESTS_BENCH_H

#include <time.h>

/* Processor time of this process, user and kernel: the machine may be busy with other things. */
static inline double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

#endif
