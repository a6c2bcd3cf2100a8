// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> dig (20 times), qsort, twalk, raise, a thread: chain_leaf below each, a fifth of the
 * time.
 * For C libraries without unwind tables, which all but the first go through.
 */
#include "chain.h"

#include <pthread.h>
#include <search.h>
#include <signal.h>

static uint64_t part_ns;
static volatile int sink;

NAMED void dig(int depth, uint64_t ns)
{
	volatile char room[40];

	OWN_FRAME();
	room[depth & 31] = 1;
	if (depth > 1)
		dig(depth - 1, ns);
	else
		chain_leaf(ns);
	sink = room[depth & 31];
}

NAMED int compare(const void *left, const void *right)
{
	const int *a = left, *b = right;

	chain_leaf(1000000);
	return (*a > *b) - (*a < *b);
}

NAMED void sorter(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;
	int numbers[30];

	do {
		for (int i = 0; i < 30; i++)
			numbers[i] = (int)(work_random() & 0xffff);
		qsort(numbers, 30, sizeof(numbers[0]), compare);
	} while (thread_cpu_ns() < end);
	sink = numbers[3];
}

static int plain_compare(const void *left, const void *right)
{
	return (left > right) - (left < right);
}

NAMED void visit(const void *node, VISIT order, int depth)
{
	chain_leaf(1000000);
	sink = depth;
}

NAMED void walker(uint64_t ns)
{
	static char nodes[30];
	void *root = NULL;
	uint64_t end;

	for (int i = 0; i < 30; i++)
		tsearch(&nodes[i], &root, plain_compare);
	end = thread_cpu_ns() + ns;
	do
		twalk(root, visit);
	while (thread_cpu_ns() < end);
	sink = 1;
}

NAMED void handler(int sig)
{
	chain_leaf(part_ns);
	sink = sig;
}

NAMED void raiser(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	sink = 2;
}

NAMED void *thread_body(void *arg)
{
	chain_leaf(part_ns);
	sink = 3;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	part_ns = chain_begin(argc, argv) / 5;
	dig(20, part_ns);
	sorter(part_ns);
	walker(part_ns);
	raiser();
	if (pthread_create(&thread, NULL, thread_body, NULL) == 0)
		pthread_join(thread, NULL);
	return 0;
}
