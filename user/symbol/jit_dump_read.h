/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a jitdump: what V8 (--perf-prof), perf's agent for Java, .NET, CPython and others
 * write of the code that they compile, with the code itself.  The format: the Linux kernel's
 * tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef EDDY_SYMBOL_JIT_DUMP_READ_H
#define EDDY_SYMBOL_JIT_DUMP_READ_H

#include "symbol/jit_reader.h"

#define JIT_DUMP_MAX_FILE (16ull << 30) /* what begins behind that is not read */

/*
 * Reads some of the records that stand behind r->head.from, as far as they are written whole: loads
 * and moves of code, of the process that began the dump.  0 or -errno.
 */
int jit_dump_read(struct jit_reader *r, int fd);

#endif
