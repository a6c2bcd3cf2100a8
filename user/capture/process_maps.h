/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executable mappings of a process, with what /proc/PID/maps prints of the file. */
#ifndef EDDY_CAPTURE_PROCESS_MAPS_H
#define EDDY_CAPTURE_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind_abi.h"

struct process_mapping {
	uint64_t start, end;
	uint64_t offset;	    /* in the file */
	struct eddy_unwind_key key; /* gen is not known from here: 0 */
	bool is_anonymous;
	char *path; /* as /proc/PID/maps prints it; "" */
};

struct process_maps {
	struct process_mapping *items; /* rising, only executable ones */
	size_t nr, cap;
};

/* Reads /proc/PID/maps; -errno, -ESRCH when there is nothing in it (the process is ending). */
int process_maps_read(uint32_t pid, struct process_maps *ret_maps);
void process_maps_deinit(struct process_maps *maps);
/* The mapping that holds an address; NULL. */
const struct process_mapping *process_maps_find(const struct process_maps *maps, uint64_t addr);

#endif
