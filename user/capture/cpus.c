// SPDX-License-Identifier: GPL-2.0-or-later
/* /sys/devices/system/cpu/online is a list such as "0-3,7". */
#include "capture/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/parse.h"

int cpus_online(uint32_t **ret_cpus, size_t *ret_n)
{
	_cleanup_close_ int fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return n < 0 ? -errno : -EIO;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return parse_u32_list(text, ret_cpus, ret_n);
}

uint32_t cpus_any_online(void)
{
	_cleanup_free_ uint32_t *cpus = NULL;
	size_t nr = 0;

	return cpus_online(&cpus, &nr) >= 0 && nr ? cpus[0] : 0;
}

uint64_t cpus_tick_ns(void)
{
	long ticks = sysconf(_SC_CLK_TCK);

	return 1000000000 / (ticks > 0 ? ticks : 100);
}

void cpus_read_times(struct cpu_times *times, size_t nr)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	unsigned long long idle, iowait, stolen;
	uint64_t tick_ns = cpus_tick_ns();
	unsigned int cpu;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu%u %*u %*u %*u %llu %llu %*u %*u %llu", &cpu, &idle, &iowait,
			   &stolen) == 4 &&
		    cpu < nr)
			times[cpu] =
				(struct cpu_times){ (idle + iowait) * tick_ns, stolen * tick_ns };
}
