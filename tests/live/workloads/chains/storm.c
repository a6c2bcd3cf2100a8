// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two threads map and unmap without end; beside them two are deep: thread_body -> dig (20 times)
 * -> chain_leaf.  The tree of mappings is never still.
 */
#include "chain.h"

#include <pthread.h>
#include <sys/mman.h>

static volatile int stop, sink;
static uint64_t each_ns;

NAMED void dig(int depth)
{
	OWN_FRAME();
	if (depth > 1)
		dig(depth - 1);
	else
		chain_leaf(each_ns);
	sink = depth;
}

NAMED void *thread_body(void *arg)
{
	dig(20);
	return arg;
}

NAMED void *stormer(void *arg)
{
	char *at[64];

	while (!stop) {
		for (int i = 0; i < 64; i++)
			at[i] = mmap(NULL, 8192, i & 1 ? PROT_READ : PROT_NONE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (int i = 0; i < 64; i++)
			munmap(at[i ^ 21], 8192);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t deep[2], storm[2];

	each_ns = chain_begin(argc, argv) / 2;
	for (int i = 0; i < 2; i++) {
		pthread_create(&storm[i], NULL, stormer, NULL);
		pthread_create(&deep[i], NULL, thread_body, NULL);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(deep[i], NULL);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(storm[i], NULL);
	chain_end();
}
