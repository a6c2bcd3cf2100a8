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

/* What a CPU has not been able to use since boot, in steps of a clock tick of user space. */
struct cpu_times {
	uint64_t idle_ns;   /* idle and iowait */
	uint64_t stolen_ns; /* by the hypervisor */
};
/* By CPU number.  Those of a CPU that is off, or cannot be read, stay as they are. */
void cpus_read_times(struct cpu_times *times, size_t nr);
/* A step of those times. */
uint64_t cpus_tick_ns(void);

#endif
