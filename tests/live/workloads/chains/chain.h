/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs of one known chain of calls share.  Each chain ends in chain_leaf(), which uses
 * the processor time of argument 1, in seconds; tests/live/test_unwind.sh knows the chains.  With
 * CHAIN_GATE=FIFO in the environment a program waits until somebody opens the FIFO for writing, so
 * that many can stand ready before sampling begins.  CHAIN_NAME names the process.
 */
#ifndef EDDY_WORKLOADS_CHAIN_H
#define EDDY_WORKLOADS_CHAIN_H

#include <fcntl.h>
#include <sys/prctl.h>

#include "work.h"

/* Waits at the gate; the answer is the processor time to use. */
static inline uint64_t chain_begin(int argc, char **argv)
{
	const char *gate = getenv("CHAIN_GATE"), *name = getenv("CHAIN_NAME");
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
static inline __attribute__((always_inline, noreturn)) void chain_end(void)
{
	for (;;)
		call_kernel(SYS_exit_group, 0, 0, 0);
}

NAMED static void chain_leaf(uint64_t ns)
{
	BURN_NS(ns);
}

#endif
