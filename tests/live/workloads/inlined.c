// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inlined [SECONDS]: three functions in one another, all inlined into work(); a caller of work()
 * that is inlined into main(); and one that is inlined into itself before it calls itself.
 */
#include "work.h"

#define INLINED static inline __attribute__((always_inline))

static volatile uint64_t sink;

INLINED void innermost(uint64_t ns)
{
	BURN_NS(ns);
}

INLINED void middle(uint64_t ns)
{
	innermost(ns);
}

INLINED void outermost(uint64_t ns)
{
	middle(ns);
	sink ^= ns;
}

NAMED void work(uint64_t ns)
{
	outermost(ns);
	sink++;
}

INLINED void call_work(uint64_t ns)
{
	work(ns);
	sink--;
}

NAMED void deeper(int depth, uint64_t ns);

INLINED void descend(int depth, uint64_t ns)
{
	if (depth > 0)
		deeper(depth - 1, ns);
	else
		work(ns);
	sink += depth;
}

NAMED void deeper(int depth, uint64_t ns)
{
	OWN_FRAME();
	descend(depth, ns);
	sink ^= depth;
}

int main(int argc, char **argv)
{
	uint64_t ns = work_ns(argc, argv, 1);

	call_work(ns / 2);
	descend(2, ns / 2);
	return 0;
}
