/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the BPF program is told before it is loaded, and how large its ring is. */
#ifndef EDDY_CAPTURE_SAMPLER_CONFIG_H
#define EDDY_CAPTURE_SAMPLER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/sampler.h"

/* What is known of the machine. */
struct sampler_host {
	uint64_t seed; /* by chance */
	uint64_t page_bytes;
	uint64_t user_address_mask;
	uint32_t nr_cpus; /* that it may have */
	uint32_t pid_space;
	int64_t max_stack; /* kernel.perf_event_max_stack; < 0: not known */
	unsigned int major, minor;
};

/* pid_space: as from pid_space_find(). */
void sampler_host_read(struct sampler_host *ret_host, uint32_t pid_space);

/* Are stacks walked by tables? */
bool sampler_has_tables(const struct sampler_opts *opts);

/* A power of two of at least a page of 4 KiB: what was asked for, or by the number of CPUs. */
uint64_t sampler_ring_bytes(const struct sampler_opts *opts, uint32_t nr_cpus);

/*
 * Overwrites *ret_config, before the program is loaded.  Asks the kernel for what the options name:
 * a cgroup that is not there has the number 0.
 */
void sampler_config_fill(const struct sampler_opts *opts, const struct sampler_host *host,
			 struct eddy_config *ret_config);

#endif
