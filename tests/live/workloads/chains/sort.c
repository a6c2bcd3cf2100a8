// SPDX-License-Identifier: GPL-2.0-or-later
/* main -> sorter -> qsort -> (libc) -> compare -> chain_leaf */
#include "chain.h"

NAMED int compare(const void *a, const void *b)
{
	chain_leaf(200000);
	return *(const int *)a - *(const int *)b;
}

NAMED void sorter(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;
	int numbers[64];

	do {
		for (int i = 0; i < 64; i++)
			numbers[i] = (int)(work_random() % 1000);
		qsort(numbers, 64, sizeof(*numbers), compare);
	} while (thread_cpu_ns() < end);
}

int main(int argc, char **argv)
{
	sorter(chain_begin(argc, argv));
	chain_end();
}
