/* SPDX-License-Identifier: GPL-2.0 */
/* Samples that are not asked for: of other tasks, and of idle CPUs. */
#ifndef EDDY_FILTER_BPF_H
#define EDDY_FILTER_BPF_H

#include "maps.bpf.h"
#include "variables.bpf.h"

static __always_inline bool is_filtered(__u64 pid_tgid, const char *comm)
{
	__u32 zero = 0, id;

	if (config.filter & EDDY_FILTER_PID) {
		id = pid_tgid >> 32;
		if (!bpf_map_lookup_elem(&tasks, &id))
			return true;
	}
	if (config.filter & EDDY_FILTER_TID) {
		id = pid_tgid;
		if (!bpf_map_lookup_elem(&tasks, &id))
			return true;
	}
	if (config.filter & EDDY_FILTER_CPU) {
		id = bpf_get_smp_processor_id();
		if (!bpf_map_lookup_elem(&cpus, &id))
			return true;
	}
	if (config.filter & EDDY_FILTER_CGROUP &&
	    bpf_current_task_under_cgroup(&cgroups, zero) != 1)
		return true;
	if (config.filter & EDDY_FILTER_COMM) {
		for (int i = 0; i < EDDY_COMM_BYTES; i++) {
			if (comm[i] != config.comm[i])
				return true;
			if (!comm[i])
				break;
		}
	}
	return false;
}

/* The idle task halts in a handful of functions; anything else it does is work. */
static __always_inline bool is_halted(__u64 pc)
{
	for (__u32 i = 0; i < EDDY_MAX_IDLE_RANGES; i++) {
		if (i >= idle.nr_ranges)
			break;
		if (pc >= idle.range[i].start && pc < idle.range[i].end)
			return true;
	}
	return false;
}

#endif
