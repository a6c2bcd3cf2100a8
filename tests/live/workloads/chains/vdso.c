// SPDX-License-Identifier: GPL-2.0-or-later
/* main -> clock_reader -> clock_gettime -> the vdso */
#include "chain.h"

NAMED void clock_reader(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;
	struct timespec t;

	do
		for (int i = 0; i < 1000; i++)
			clock_gettime(CLOCK_MONOTONIC, &t);
	while (thread_cpu_ns() < end);
}

int main(int argc, char **argv)
{
	clock_reader(chain_begin(argc, argv));
	chain_end();
}
