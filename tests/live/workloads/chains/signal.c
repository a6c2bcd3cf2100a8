// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> interrupted [-> tiny] -> (signal frame) -> handler -> chain_leaf; the signal comes at any
 * instruction, prologues included.  With ON_OWN_STACK the handler runs on a signal stack.
 */
#include "chain.h"

#include <signal.h>
#include <sys/time.h>

static volatile uint32_t sink;
static volatile uint64_t left_ns;

/* The next signal comes after a few microseconds: somewhere else in the loop each time. */
static void arm(void)
{
	struct itimerval once = { { 0, 0 }, { 0, 20 + (long)(work_random() % 100) } };

	setitimer(ITIMER_REAL, &once, NULL);
}

NAMED void handler(int nr)
{
	chain_leaf(1000000);
	left_ns -= left_ns < 1000000 ? left_ns : 1000000;
	arm();
}

NAMED uint32_t tiny(uint32_t x)
{
	volatile uint32_t room[6] = { x };

	OWN_FRAME();
	return room[x & 3];
}

NAMED void interrupted(void)
{
	OWN_FRAME();
	while (left_ns)
		sink += tiny(sink);
}

int main(int argc, char **argv)
{
	static char stack[65536];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	left_ns = chain_begin(argc, argv);
#ifdef ON_OWN_STACK
	sigaltstack(&own, NULL);
	action.sa_flags |= SA_ONSTACK;
#endif
	(void)own;
	sigaction(SIGALRM, &action, NULL);
	arm();
	interrupted();
	chain_end();
}
