// SPDX-License-Identifier: GPL-2.0-or-later
/* clone3 -> start_thread -> thread_body -> chain_leaf, in two threads. */
#include "chain.h"

#include <pthread.h>

static uint64_t each_ns;

NAMED void *thread_body(void *arg)
{
	chain_leaf(each_ns);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[2];

	each_ns = chain_begin(argc, argv) / 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, thread_body, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	chain_end();
}
