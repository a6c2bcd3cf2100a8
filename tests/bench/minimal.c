// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads minimal.bpf.o on every online CPU: minimal OBJECT HZ SECONDS, then prints how many stacks
 * it counted.  The kernel's own statistics (bpf_stats_enabled) are the measurement.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stack_key {
	uint32_t pid;
	int32_t kernel_stack;
	int32_t user_stack;
};

static int attach_all(struct bpf_program *prog, uint64_t freq_hz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_freq = freq_hz,
		.freq = 1,
	};
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	int nr_attached = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);

		if (fd >= 0 && !libbpf_get_error(bpf_program__attach_perf_event(prog, fd)))
			nr_attached++;
	}
	return nr_attached;
}

int main(int argc, char **argv)
{
	struct bpf_object *obj;
	struct bpf_program *prog;
	struct stack_key key, next;
	uint64_t total = 0, count, nr_keys = 0;
	int map;

	if (argc != 4)
		return 2;
	obj = bpf_object__open_file(argv[1], NULL);
	if (libbpf_get_error(obj) || bpf_object__load(obj))
		return fprintf(stderr, "minimal: cannot load %s\n", argv[1]), 1;
	prog = bpf_object__find_program_by_name(obj, "minimal_sample");
	if (!prog || !attach_all(prog, strtoull(argv[2], NULL, 10)))
		return fprintf(stderr, "minimal: cannot attach\n"), 1;
	sleep(atoi(argv[3]));
	map = bpf_object__find_map_fd_by_name(obj, "counts");
	for (void *at = NULL; !bpf_map_get_next_key(map, at, &next); at = &key) {
		key = next;
		if (!bpf_map_lookup_elem(map, &key, &count))
			total += count, nr_keys++;
	}
	printf("samples %lu stacks %lu\n", (unsigned long)total, (unsigned long)nr_keys);
	bpf_object__close(obj);
	return 0;
}
