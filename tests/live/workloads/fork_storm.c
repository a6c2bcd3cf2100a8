// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fork_storm [SECONDS [DEPTH]]: forks children that fork DEPTH (1) more and end at once, one family
 * after the other, for SECONDS by the clock; 0: until it is killed.  Never more than DEPTH + 2
 * processes at a time.
 */
#include <sys/wait.h>

#include "work.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + work_seconds(argc, argv);
	int depth = argc > 2 ? atoi(argv[2]) : 1;
	uint64_t nr = 0;

	if (depth < 0 || depth > 64)
		return 2;
	while (now() < end) {
		pid_t pid = fork();
		int status;

		if (pid < 0)
			return 1;
		for (int left = depth; !pid && left > 0; left--) {
			pid = fork();
			if (pid < 0)
				_exit(1);
			if (pid > 0)
				_exit(waitpid(pid, &status, 0) != pid || status);
		}
		if (!pid)
			_exit(0);
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
		nr += depth + 1;
	}
	printf("truth forks %llu\n", (unsigned long long)nr);
	return 0;
}
