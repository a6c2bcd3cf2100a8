// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu_split [SECONDS]: three functions that take 50, 30 and 20 % of the processor time.  Ten slices
 * are a round: five, three and two of them, all of the same length and in an order by chance; each
 * round has another length, so that no sampling rate can be in step.  So the shares are also those
 * of every part of a run that is much longer than a round (20 ms), whose truth nobody prints.
 * Besides the truth it prints "blocks NAME N", the work that each has done.
 */
#define COUNT_WORK
#include "work.h"

NAMED void split_half(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void split_three_tenths(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void split_fifth(uint64_t ns)
{
	BURN_NS(ns);
}

NAMED void split_caller(int which, uint64_t ns)
{
	OWN_FRAME();
	if (which < 5)
		split_half(ns);
	else if (which < 8)
		split_three_tenths(ns);
	else
		split_fifth(ns);
	OWN_FRAME();
}

int main(int argc, char **argv)
{
	uint64_t want = work_ns(argc, argv, 2), from = thread_cpu_ns();
	uint64_t used[3] = { 0 }, blocks[3] = { 0 };

	for (int n = 0; thread_cpu_ns() - from < want; n = (n + 1) % 10) {
		static int round[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
		static uint64_t slice_ns;
		int left = 10 - n, drawn = n + work_random() % left, which = round[drawn], slot;
		uint64_t at = thread_cpu_ns(), before = work_blocks;

		round[drawn] = round[n];
		round[n] = which;
		if (n == 0)
			slice_ns = 500000 + work_random() % 3000000;
		slot = which < 5 ? 0 : which < 8 ? 1 : 2;
		split_caller(which, slice_ns);
		used[slot] += thread_cpu_ns() - at;
		blocks[slot] += work_blocks - before;
	}
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "split_half", "split_three_tenths",
						     "split_fifth" };

		truth(names[i], used[i]);
		printf("blocks %s %llu\n", names[i], (unsigned long long)blocks[i]);
	}
	return 0;
}
