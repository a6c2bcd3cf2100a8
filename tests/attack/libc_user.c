// SPDX-License-Identifier: GPL-2.0-or-later
/* libc_user SECONDS: a program that spends its time in libc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) size_t work(int seed)
{
	int numbers[500];
	char text[64];
	size_t sum = 0;

	for (int i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "%d %f", seed * i, seed / (i + 1.0));
		numbers[i] = (int)strtol(text, NULL, 10) % 1000 + (int)strlen(text);
	}
	qsort(numbers, 500, sizeof(*numbers), compare);
	for (int i = 0; i < 500; i++)
		sum += (size_t)numbers[i];
	return sum;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc == 2 ? atoi(argv[1]) : 1);
	volatile size_t sink = 0;

	for (int i = 0; time(NULL) < end; i++)
		sink += work(i);
	return 0;
}
