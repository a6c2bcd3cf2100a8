// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process_storm [SECONDS [CHILD_MS]]: processes that fork, exec this program again, work CHILD_MS
 * of processor time (default 5) in storm_child_work and end, one after the other; 0: until it
 * is killed.  The truth is the sum of the children's time.
 */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

NAMED void storm_child_work(uint64_t ns)
{
	BURN_NS(ns);
}

static uint64_t children_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ull +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ull;
}

int main(int argc, char **argv)
{
	double seconds = work_seconds(argc, argv);
	const char *child_ms = argc > 2 ? argv[2] : "5";
	unsigned nr_children = 0;

	if (argc == 3 && !strcmp(argv[1], "child")) {
		storm_child_work(atof(argv[2]) * 1e6);
		return 0;
	}
	do {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			execl("/proc/self/exe", "storm_child", "child", child_ms, NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
		nr_children++;
	} while (children_ns() < seconds * 1e9);
	truth("storm_child_work", (uint64_t)(nr_children * atof(child_ms) * 1e6));
	printf("children %u\n", nr_children);
	return 0;
}
