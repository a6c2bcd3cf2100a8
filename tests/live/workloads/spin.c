// SPDX-License-Identifier: GPL-2.0-or-later
/* spin [SECONDS]: one function that takes all the time; 0: until it is killed. */
#include "work.h"

NAMED void spin_here(uint64_t ns)
{
	BURN_NS(ns);
}

int main(int argc, char **argv)
{
	double seconds = work_seconds(argc, argv);
	uint64_t from = thread_cpu_ns();

	do
		spin_here(10000000);
	while (thread_cpu_ns() - from < seconds * 1e9);
	truth("spin_here", thread_cpu_ns() - from);
	return 0;
}
