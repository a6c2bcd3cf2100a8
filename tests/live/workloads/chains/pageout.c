// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread_body -> dig (64 times, 1 KiB each) -> chain_leaf on a stack that is a mapped file; the
 * pages of the callers are written out and dropped again and again, so that the sampler cannot read
 * them.
 * Argument 2: the file to make the stack of.
 */
#include "chain.h"

#include <pthread.h>
#include <sys/mman.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define STACK_BYTES (1 << 20)

static char *stack;
static uint64_t leaf_ns;

NAMED void pageout_leaf(void)
{
	uint64_t end = thread_cpu_ns() + leaf_ns;
	/* Up to the last page before the one in use. */
	char *here = (char *)(((uintptr_t)__builtin_frame_address(0) + 3 * 4096) & ~4095ul);

	do {
		call_kernel(SYS_madvise, (long)here, stack + STACK_BYTES - here, MADV_PAGEOUT);
		TURN(3000000);
	} while (thread_cpu_ns() < end);
}

NAMED void dig(int depth)
{
	volatile char room[1024];

	room[depth] = 1;
	if (depth)
		dig(depth - 1);
	else
		pageout_leaf();
	room[depth] += 2;
}

NAMED void *thread_body(void *arg)
{
	dig(63);
	return arg;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 2 ? argv[2] : "pageout.stack", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	pthread_attr_t attr;
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, STACK_BYTES))
		return 1;
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (stack == MAP_FAILED)
		return 1;
	leaf_ns = chain_begin(argc, argv);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, STACK_BYTES);
	if (pthread_create(&thread, &attr, thread_body, NULL))
		return 1;
	pthread_join(thread, NULL);
	chain_end();
}
