/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs there are, as sysfs tells it. */
#ifndef EDDY_CAPTURE_CPUS_H
#define EDDY_CAPTURE_CPUS_H

#include <stddef.h>
#include <stdint.h>

/* CPUs online now, rising; free() the list.  -errno when sysfs cannot be read. */
int cpus_online(uint32_t **ret_cpus, size_t *ret_n);

/* A CPU that is online, where anything can be tried: 0 can be off.  0 when sysfs cannot be read. */
uint32_t cpus_any_online(void);

/*
 * Seconds that CPUs have been idle since boot (idle and iowait of /proc/stat), summed over cpus, or
 * over all when that is NULL; negative when it cannot be read.
 */
double cpus_idle_seconds(const uint32_t *cpus, size_t nr_cpus);

#endif
