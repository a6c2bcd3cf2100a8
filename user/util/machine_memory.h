/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory this process could have at most, whatever others need. */
#ifndef EDDY_UTIL_MACHINE_MEMORY_H
#define EDDY_UTIL_MACHINE_MEMORY_H

#include <stdint.h>

/*
 * The least of: the machine's memory, the limits of the process (RLIMIT_AS, RLIMIT_DATA), and of a
 * container (memory.max of the cgroup that is seen as the root).  Never 0.
 */
uint64_t machine_memory_bytes(void);

#endif
