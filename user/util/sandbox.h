/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process gives up before it reads bytes that others chose: a parser that such bytes turn
 * against us can then only compute, and write to files in memory and to the sockets it has.
 *
 * In two steps, the first of which costs a millisecond and is inherited: a parent enters, and each
 * process that it forks seals itself.  Neither step can be taken back.
 *
 * Where no namespaces can be made (the unit's RestrictNamespaces=, some containers), Landlock takes
 * files and TCP away, as far as the kernel has it.  What holds in any case is the filter.
 *
 * Sources: capabilities(7), namespaces(7), pivot_root(2), landlock(7), seccomp(2), setrlimit(2).
 */
#ifndef EDDY_UTIL_SANDBOX_H
#define EDDY_UTIL_SANDBOX_H

#include <stdint.h>

#include "util/strbuf.h"

/* What keeps a process from something besides the filter of its system calls. */
enum sandbox_wall {
	SANDBOX_FILTER_ALONE,
	SANDBOX_LANDLOCK,
	SANDBOX_NAMESPACE, /* what it could reach is its own, and empty */
};

struct sandbox {
	/* What not every user may give up.  Sealed, a process cannot make use of either. */
	enum sandbox_wall files;   /* a namespace: an empty root that cannot be written to */
	enum sandbox_wall network; /* a namespace: IPC and host name too; Landlock: TCP alone */
	unsigned int landlock_abi; /* 0: it was not asked for, or is not there */
	uint64_t data_bytes;	   /* memory of its own that it had, as RLIMIT_DATA counts it */
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

/* What a process that this one forks now can give up, tried in one.  0 or -errno: nobody can. */
int sandbox_probe(struct sandbox *ret_sandbox);
/* Adds that in words, without a newline; what sandbox_probe() gave: -errno: nothing is parsed. */
void sandbox_text(int result, const struct sandbox *sandbox, struct strbuf *to);
/* Both: 1; 0: files are kept away by the filter alone; -errno: nothing is parsed. */
int sandbox_say(struct strbuf *to);

#endif
