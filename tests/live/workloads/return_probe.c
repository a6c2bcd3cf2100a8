// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * return_probe [SECONDS [KIND]]: works under functions that have return probes, which put the
 * address of a trampoline in the place of their return addresses.
 *	returns	one in the middle, and one at the bottom of a recursion (default)
 *	chain	two probes on one function
 *	entry	a probe on the first instruction of a function that is called all the time
 * Says "cannot" and ends with 77 where the kernel refuses the probes.
 */
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/perf_event.h>
#include <string.h>

#include "work.h"

static volatile int sink;

NAMED void probed_leaf(uint64_t ns)
{
	BURN_NS(ns);
}

NAMED void plain_middle(uint64_t ns)
{
	OWN_FRAME();
	probed_leaf(ns);
	sink = 1;
}

NAMED void probed_outer(int depth, uint64_t ns)
{
	OWN_FRAME();
	if (depth > 1)
		probed_outer(depth - 1, ns);
	else
		plain_middle(ns);
	sink = depth;
}

NAMED void probed_short(void)
{
	sink = 2; /* the trap of a probe leaves the program counter behind its first byte */
}

NAMED void calls_short(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;

	OWN_FRAME();
	while (thread_cpu_ns() < end)
		for (int i = 0; i < 64; i++)
			probed_short();
}

static uint64_t base_of_program;

static int find_base(struct dl_phdr_info *info, size_t size, void *data)
{
	base_of_program = info->dlpi_addr;
	return 1;
}

static uint64_t probe_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = 0;

	if (!f || fscanf(f, "%d", &type) != 1)
		type = 0;
	if (f)
		fclose(f);
	return type;
}

static void probe(void *function, int is_return)
{
	static char path[PATH_MAX];
	struct perf_event_attr attr = { .size = sizeof(attr), .sample_period = 1 };
	int fd;

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		exit(1);
	dl_iterate_phdr(find_base, NULL);
	attr.type = probe_type();
	attr.config = is_return;
	attr.uprobe_path = (uintptr_t)path;
	attr.probe_offset = (uintptr_t)function - base_of_program;
	fd = attr.type ? syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) : -1;
	if (fd < 0) {
		puts("cannot");
		exit(77);
	}
}

int main(int argc, char **argv)
{
	uint64_t ns = work_ns(argc, argv, 1), from = thread_cpu_ns();
	const char *kind = argc > 2 ? argv[2] : "returns";

	if (!strcmp(kind, "entry")) {
		probe((void *)probed_short, 0);
		calls_short(ns);
	} else {
		probe((void *)probed_outer, 1);
		probe((void *)probed_leaf, 1);
		if (!strcmp(kind, "chain"))
			probe((void *)probed_leaf, 1);
		while (thread_cpu_ns() - from < ns)
			probed_outer(3, 5000000);
	}
	truth(kind, thread_cpu_ns() - from);
	return 0;
}
