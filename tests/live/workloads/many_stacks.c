// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_stacks [SECONDS [DIGITS]]: a stack for every number: digit_0 .. digit_f call one another
 * once a hexadecimal digit (default 6: 16 777 216 stacks) and work a moment at the bottom, so
 * nearly every sample is a stack of its own.
 *
 * many_stacks faults N [MS]: the numbers 0 to N-1, each in its own stack of 5 digits, and at the
 * bottom of each exactly one page is touched for the first time: N distinct stacks with one page
 * fault each, however the machine is loaded.  With MS they are spread evenly over so many
 * milliseconds, or more where the machine is slower, so that they last on any machine.
 */
#include <string.h>
#include <sys/mman.h>

#include "work.h"

static volatile int sink;
static char *pages;

NAMED void stack_bottom(uint32_t number)
{
	OWN_FRAME();
	if (pages)
		pages[(size_t)number * 4096] = 1;
	else
		TURN(20000);
}

typedef void (*digit_fn)(uint32_t number, uint32_t left, int digits);
static const digit_fn digit_fns[16];

#define DIGIT(d)                                                             \
	NAMED void digit_##d(uint32_t number, uint32_t left, int digits)     \
	{                                                                    \
		OWN_FRAME();                                                 \
		if (digits)                                                  \
			digit_fns[left & 15](number, left >> 4, digits - 1); \
		else                                                         \
			stack_bottom(number);                                \
		sink = 0x##d;                                                \
	}
DIGIT(0)
DIGIT(1)
DIGIT(2)
DIGIT(3)
DIGIT(4)
DIGIT(5)
DIGIT(6)
DIGIT(7)
DIGIT(8)
DIGIT(9)
DIGIT(a)
DIGIT(b)
DIGIT(c)
DIGIT(d)
DIGIT(e)
DIGIT(f)

static const digit_fn digit_fns[16] = {
	digit_0, digit_1, digit_2, digit_3, digit_4, digit_5, digit_6, digit_7,
	digit_8, digit_9, digit_a, digit_b, digit_c, digit_d, digit_e, digit_f,
};

static void visit(uint32_t number, int digits)
{
	digit_fns[number & 15](number, number >> 4, digits - 1);
}

/* Returns at once when that time is over. */
static void pace(const struct timespec *start, uint64_t after_ns)
{
	uint64_t due_ns = start->tv_sec * 1000000000ull + start->tv_nsec + after_ns;
	const struct timespec due = { due_ns / 1000000000, due_ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

static int fault_each(uint32_t nr_pages, uint64_t length_ns)
{
	size_t bytes = (size_t)nr_pages * 4096;
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || madvise(pages, bytes, MADV_NOHUGEPAGE))
		return 1;
	for (uint32_t number = 0; number < nr_pages; number++) {
		if (length_ns)
			pace(&start, length_ns / nr_pages * number);
		visit(number, 5);
		if (number % 1024 == 1023)
			madvise(pages + ((size_t)number - 1023) * 4096, 1024 * 4096ul,
				MADV_DONTNEED);
	}
	printf("stacks %u\n", nr_pages);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t want, from = thread_cpu_ns();
	int digits = argc > 2 ? atoi(argv[2]) : 6;

	if (argc >= 3 && !strcmp(argv[1], "faults"))
		return fault_each(strtoul(argv[2], NULL, 10),
				  argc > 3 ? strtoull(argv[3], NULL, 10) * 1000000 : 0);
	want = work_ns(argc, argv, 2);
	while (thread_cpu_ns() - from < want)
		visit((uint32_t)(work_random() >> 32), digits);
	truth("stack_bottom", thread_cpu_ns() - from);
	return 0;
}
