// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_names SECONDS: is another program all the time, by exec of itself, and is called something
 * else between any two moments: each sample of it has names that no other has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NAMES_A_LIFE 20000

static volatile unsigned int sink;

int main(int argc, char **argv)
{
	time_t end = argc > 2 ? atol(argv[2]) : time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	unsigned int seed = (unsigned int)getpid() * 2654435761u ^ (unsigned int)clock();
	char name[16], until[32];

	for (int i = 0; i < NAMES_A_LIFE; i++) {
		seed = seed * 1664525 + 1013904223 + (unsigned int)time(NULL);
		snprintf(name, sizeof(name), "n%x", seed);
		prctl(PR_SET_NAME, name);
		for (int k = 0; k < 1000; k++)
			sink += (unsigned int)k;
	}
	if (time(NULL) >= end)
		return 0;
	snprintf(until, sizeof(until), "%ld", (long)end);
	execl("/proc/self/exe", argv[0], "0", until, NULL);
	return 1;
}
