/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the animals of the zoo share.  Each has one known chain of calls that ends in zoo_leaf(),
 * where it spends its processor time (argument 1, in seconds); tests/live/test_unwind.sh knows the
 * chains.  With ZOO_GATE=FIFO in the environment an animal waits at the gate until somebody opens
 * the FIFO for writing, so that a whole herd can stand ready before sampling begins.  ZOO_NAME
 * names the process.
 */
#ifndef EDDY_WORKLOADS_ZOO_H
#define EDDY_WORKLOADS_ZOO_H

#include <fcntl.h>
#include <sys/prctl.h>

#include "work.h"

/* Waits at the gate; the answer is the processor time to use. */
static inline uint64_t zoo_begin(int argc, char **argv)
{
	const char *gate = getenv("ZOO_GATE"), *name = getenv("ZOO_NAME");
	uint64_t ns = work_ns(argc, argv, 0.5);
	int fd;

	if (name)
		prctl(PR_SET_NAME, name);
	fd = gate ? open(gate, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0)
		close(fd);
	return ns;
}

/* Ends the process from where it stands, without what the C library does at the end. */
static inline __attribute__((always_inline, noreturn)) void zoo_end(void)
{
	for (;;)
		call_kernel(SYS_exit_group, 0, 0, 0);
}

NAMED static void zoo_leaf(uint64_t ns)
{
	BURN_NS(ns);
}

#endif
