// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * switches NAME PAUSE_US SECONDS: under that name sleeps for so long again and again, and prints
 * how often the kernel switched away from it: "truth NAME SWITCHES".
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct timespec pause = { 0 }, now, begin;
	struct rusage usage;
	double seconds;

	if (argc != 4)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	pause.tv_nsec = atol(argv[2]) * 1000 + 1;
	seconds = atof(argv[3]);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
	getrusage(RUSAGE_SELF, &usage);
	printf("truth %s %ld\n", argv[1], usage.ru_nvcsw + usage.ru_nivcsw);
	return 0;
}
