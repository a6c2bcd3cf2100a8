// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> drap_outer -> drap_inner -> chain_leaf: stacks realigned to 64 bytes, of a size known
 * only at run time, with arguments on the stack, so that the compiler keeps an argument pointer
 * (DRAP).
 */
#include "chain.h"

#include <alloca.h>
#include <string.h>

static volatile int sink;

NAMED void drap_inner(int a, int b, int c, int d, int e, int f, int g, int h, uint64_t ns)
{
	__attribute__((aligned(64))) volatile char room[128];
	char *more = alloca(h + 16);

	memset(more, a, h);
	room[g & 127] = more[h / 2];
	chain_leaf(ns);
	sink = room[g & 127] + b + c + d + e + f + h;
}

NAMED void drap_outer(int n, uint64_t ns)
{
	__attribute__((aligned(32))) volatile char room[64];
	char *more = alloca(n * 3);

	memset(more, n, n * 3);
	room[n & 63] = more[n];
	drap_inner(1, 2, 3, 4, 5, 6, n, n + 1, ns);
	sink = room[n & 63];
}

int main(int argc, char **argv)
{
	uint64_t ns = chain_begin(argc, argv);

	drap_outer(argc * 16, ns);
	chain_end();
}
