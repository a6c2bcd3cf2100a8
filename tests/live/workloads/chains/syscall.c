// SPDX-License-Identifier: GPL-2.0-or-later
/* main -> reader -> read -> the kernel: nearly every sample is taken in kernel mode. */
#include "chain.h"

NAMED void reader(int fd, uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;
	static char zeroes[65536];

	do
		for (int i = 0; i < 100; i++)
			if (read(fd, zeroes, sizeof(zeroes)) != sizeof(zeroes))
				exit(1);
	while (thread_cpu_ns() < end);
}

int main(int argc, char **argv)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	reader(fd, chain_begin(argc, argv));
	chain_end();
}
