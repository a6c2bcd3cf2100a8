// SPDX-License-Identifier: GPL-2.0-or-later
/* __start_context -> coroutine -> chain_leaf on a stack of makecontext() */
#include "chain.h"

#include <ucontext.h>

static ucontext_t home, away;
static uint64_t away_ns;

NAMED void coroutine(void)
{
	chain_leaf(away_ns);
	OWN_FRAME();
}

int main(int argc, char **argv)
{
	static char stack[65536];

	away_ns = chain_begin(argc, argv);
	if (getcontext(&away))
		return 1;
	away.uc_stack.ss_sp = stack;
	away.uc_stack.ss_size = sizeof(stack);
	away.uc_link = &home;
	makecontext(&away, coroutine, 0);
	swapcontext(&home, &away);
	chain_end();
}
