// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_fault [SECONDS [MEGABYTES]]: maps memory, touches every page, unmaps it, until SECONDS of
 * its own processor time are over: exceptions and next to no interrupts of its own.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static __attribute__((noinline)) void touch_pages(volatile char *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 4096)
		p[i] = 1;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	size_t bytes = (argc > 2 ? strtoul(argv[2], NULL, 10) : 16) * 1024 * 1024;
	uint64_t nr = 0;

	while (cpu_seconds() < seconds) {
		char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		if (p == MAP_FAILED)
			return 1;
		madvise(p, bytes, MADV_NOHUGEPAGE); /* a fault for every page, please */
		touch_pages(p, bytes);
		nr += bytes / 4096;
		munmap(p, bytes);
	}
	printf("truth pages %llu\n", (unsigned long long)nr);
	return 0;
}
