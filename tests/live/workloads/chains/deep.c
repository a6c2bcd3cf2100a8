// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> dig (DEPTH times) -> chain_leaf.  Built in many ways: the chain must not depend on them.
 * Argument 2 is the depth (20), argument 3 a number of mappings to make first (0).
 */
#include "chain.h"

#include <sys/mman.h>

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

/* Neighbours differ in protection, so the kernel cannot merge them. */
static void map_many(int n)
{
	for (int i = 0; i < n; i++)
		if (mmap(NULL, 4096, i & 1 ? PROT_READ : PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			perror("mmap");
}

int main(int argc, char **argv)
{
	uint64_t ns;

	if (argc > 3)
		map_many(atoi(argv[3]));
	ns = chain_begin(argc, argv);
	dig(argc > 2 ? atoi(argv[2]) : 20, ns);
	chain_end();
}
