// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * divide [SECONDS]: a loop whose time goes into one division, whose address is that of divide_here.
 * Samples stand there or, as timers have it, at the next instruction.
 */
#include "work.h"

NAMED unsigned long divide(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 1; i < n; i++) {
#if defined(__x86_64__)
		unsigned long high = 0, low = i * 0x9e3779b97f4a7c15ul;

		__asm__ volatile(".globl divide_here\ndivide_here: divq %2\n"
				 : "+a"(low), "+d"(high)
				 : "r"(3ul));
#else
		unsigned long low;

		__asm__ volatile(".globl divide_here\ndivide_here: udiv %0, %1, %2\n"
				 : "=r"(low)
				 : "r"(i * 0x9e3779b97f4a7c15ul), "r"(3ul));
#endif
		sum += low;
	}
	return sum;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	uint64_t from = thread_cpu_ns();
	volatile unsigned long sum = 0;

	do
		sum += divide(1000000);
	while (thread_cpu_ns() - from < seconds * 1e9);
	truth("divide", thread_cpu_ns() - from);
	return 0;
}
