/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with copies of their stacks, kept until the capture is over, and the mappings of their
 * processes as they were read meanwhile: comparing is slow and must not hold up the sampler.
 */
#ifndef EDDY_TESTS_DWFL_COPIES_H
#define EDDY_TESTS_DWFL_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler_abi.h"

/* File mappings and the vdso of a process, as /proc/PID/maps printed them. */
struct reading {
	char *text;
	uint64_t first_ns,
		last_ns; /* read the same from the first to the last time; CLOCK_MONOTONIC */
};

/* A process; the same number may be another one later, and exec makes other mappings. */
struct process {
	uint32_t pid;
	struct reading *readings; /* rising times, neighbours differ */
	size_t nr_readings, cap_readings;
	uint64_t *execs; /* rising times */
	size_t nr_execs, cap_execs;
};

struct copy {
	size_t process;
	uint64_t gpr[EDDY_NR_GPRS];
	uint64_t stack_addr;
	size_t stack_bytes;
	const uint8_t *stack;
	struct eddy_stack_event ev;
	uint64_t frames[]; /* == ev.frames; then the stack */
};

struct copies {
	size_t max_bytes; /* beyond, samples are dropped and counted */
	struct copy **items;
	size_t nr, cap, bytes;
	uint64_t nr_dropped;
	struct process *processes;
	size_t nr_processes, cap_processes;
	size_t *slots; /* process + 1 by hash of the pid, open addressing */
	size_t nr_slots;
};

void copies_init(struct copies *c, size_t max_bytes);
void copies_deinit(struct copies *c);
/* Keeps a sample, and reads the mappings of its process unless that was done just now. */
void copies_add(struct copies *c, const struct eddy_late_event *late);
/* Reads the mappings of a sample's process only: before samples are kept. */
void copies_note(struct copies *c, const struct eddy_late_event *late);
void copies_exec(struct copies *c, const struct eddy_process_event *ev);
/*
 * The reading that holds for a sample: *ret_is_certain when it was the same before and after.
 * NULL when the process ended, or called exec, before its mappings could be read.
 */
const struct reading *copies_reading(const struct copies *c, const struct copy *copy,
				     bool *ret_is_certain);

#endif
