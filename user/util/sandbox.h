/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process gives up before it reads bytes that others chose: a parser that such bytes turn
 * against us can then only compute, and write to files in memory and to the sockets it has.
 *
 * In two steps, the first of which costs a millisecond and is inherited: a parent enters, and each
 * process that it forks seals itself.  Neither step can be taken back.
 *
 * Sources: capabilities(7), namespaces(7), pivot_root(2), seccomp(2), setrlimit(2).
 */
#ifndef EDDY_UTIL_SANDBOX_H
#define EDDY_UTIL_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

struct sandbox {
	/* What not every user may give up.  Sealed, a process cannot make use of either. */
	bool has_no_network; /* network, IPC and host name are its own, and empty */
	bool has_no_files;   /* its root is an empty directory that cannot be written to */
	uint64_t data_bytes; /* memory of its own that it had, as RLIMIT_DATA counts it */
};

/*
 * Gives up all capabilities, and for good whatever an executed file would give; nobody may trace or
 * dump the process.  To be called by a process with one thread.  0 or -errno: then neither it nor
 * what it forks may read anything.
 */
int sandbox_enter(struct sandbox *ret_sandbox);

struct sandbox_limits {
	uint64_t data_bytes; /* memory of its own, beside what the one that entered had */
	uint64_t file_bytes; /* of one file in memory */
	unsigned cpu_s;	     /* then it is killed */
	unsigned nr_fds;     /* open at a time */
};

/*
 * Only computing is left: memory that cannot be executed, files in memory, reading and writing open
 * descriptors, messages over open sockets, clocks, random numbers, the end.  Opening a path is
 * refused (-EACCES), for the C library tries; whatever else is asked for kills the process.
 * 0 or -errno: then it must not read anything.
 */
int sandbox_seal(const struct sandbox *sandbox, const struct sandbox_limits *limits);

#endif
