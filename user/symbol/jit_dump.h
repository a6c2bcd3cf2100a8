/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jitdump of a process.  Compilers write it wherever they like, under the name jit-PID.dump,
 * and map its beginning executable, only so that it can be found among the mappings.
 */
#ifndef EDDY_SYMBOL_JIT_DUMP_H
#define EDDY_SYMBOL_JIT_DUMP_H

#include "symbol/address_space.h"
#include "symbol/perf_map.h"

/*
 * Opens the dump that the process, by its own PID, has mapped: the very file, wherever its name
 * leads to by now, which the process could open itself.  What another process's PID is in the name
 * of is not its own: a child has its parent's mappings.  -ENOENT: there is none.
 */
int jit_dump_open(const struct address_space_source *src, pid_t pid, const struct address_space *as,
		  struct perf_map **ret_dump);

#endif
