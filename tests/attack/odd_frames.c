// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * odd_frames SECONDS [WARM_MS]: a chain of functions whose frames have sizes that no other program
 * has, and no frame pointers: without their rules nobody finds the callers.  The chain is deeper
 * than what is copied of a stack whose program has no tables yet.  For the first WARM_MS it is not
 * called: time for the tables to come, with stacks that are found late too.
 */
#include <stdlib.h>
#include <time.h>

#ifndef ODD_MORE
#define ODD_MORE 0
#endif

static volatile unsigned long sink;

#define FRAME(name, bytes, call)                          \
	static __attribute__((noinline)) void name(int n) \
	{                                                 \
		volatile char room[(bytes) + ODD_MORE];   \
                                                          \
		room[n] = (char)n;                        \
		call;                                     \
		sink += (unsigned char)room[n];           \
	}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static __attribute__((noinline)) void spin(int n)
{
	for (int i = 0; i < 20000; i++)
		sink += (unsigned long)n * i;
}

FRAME(odd_a, 12344, spin(n))
FRAME(odd_b, 13576, odd_a(n))
FRAME(odd_c, 14808, odd_b(n))
FRAME(odd_d, 15912, odd_c(n))
FRAME(odd_e, 17144, odd_d(n))

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc >= 2 ? atoi(argv[1]) : 1);
	double warm_s = argc >= 3 ? atoi(argv[2]) / 1e3 : 0;
	double from = now_s();

	while (now_s() - from < warm_s)
		spin(1);
	while (time(NULL) < end)
		for (int i = 0; i < 1000; i++)
			odd_e(i);
	return 0;
}
