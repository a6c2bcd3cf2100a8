// SPDX-License-Identifier: GPL-2.0-or-later
/* What cannot be asked is no limit. */
#include "util/machine_memory.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/cleanup.h"

#define CGROUP_LIMIT "/sys/fs/cgroup/memory.max" /* Documentation/admin-guide/cgroup-v2.rst */

static uint64_t of_machine(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * page : UINT64_MAX;
}

static uint64_t of_process(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

static uint64_t of_container(void)
{
	_cleanup_fclose_ FILE *f = fopen(CGROUP_LIMIT, "re");
	unsigned long long bytes;

	return f && fscanf(f, "%llu", &bytes) == 1 ? bytes : UINT64_MAX; /* else "max" */
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t machine_memory_bytes(void)
{
	uint64_t bytes = least(of_machine(), of_container());

	bytes = least(bytes, least(of_process(RLIMIT_AS), of_process(RLIMIT_DATA)));
	return bytes ? bytes : 1;
}
