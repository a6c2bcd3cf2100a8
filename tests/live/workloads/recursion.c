// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recursion [SECONDS [DEPTH]]: self_recurse DEPTH times under itself (default 20), then
 * mutual_ping and mutual_pong in turn, DEPTH frames together; the work is done at the bottom.
 */
#include "work.h"

static volatile int sink;

NAMED void at_the_bottom(uint64_t ns)
{
	BURN_NS(ns);
}

NAMED void self_recurse(int depth, uint64_t ns)
{
	OWN_FRAME();
	if (depth > 1)
		self_recurse(depth - 1, ns);
	else
		at_the_bottom(ns);
	sink = depth;
}

NAMED void mutual_pong(int depth, uint64_t ns);
NAMED void mutual_ping(int depth, uint64_t ns)
{
	OWN_FRAME();
	if (depth > 1)
		mutual_pong(depth - 1, ns);
	else
		at_the_bottom(ns);
	sink = depth;
}
NAMED void mutual_pong(int depth, uint64_t ns)
{
	OWN_FRAME();
	if (depth > 1)
		mutual_ping(depth - 1, ns);
	else
		at_the_bottom(ns);
	sink = depth + 1;
}

int main(int argc, char **argv)
{
	uint64_t want = work_ns(argc, argv, 2), from = thread_cpu_ns(), used[2] = { 0 };
	int depth = argc > 2 ? atoi(argv[2]) : 20;

	while (thread_cpu_ns() - from < want) {
		int mutual = work_random() & 1;
		uint64_t at = thread_cpu_ns(), ns = 500000 + work_random() % 3000000;

		if (mutual)
			mutual_ping(depth, ns);
		else
			self_recurse(depth, ns);
		used[mutual] += thread_cpu_ns() - at;
	}
	truth("self_recurse", used[0]);
	truth("mutual_ping", used[1]);
	return 0;
}
