/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executable mappings of a process, with what /proc/PID/maps prints of the file. */
#ifndef EDDY_CAPTURE_PROCESS_MAPS_H
#define EDDY_CAPTURE_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind_abi.h"
#include "util/worker_pool.h"

struct process_mapping {
	uint64_t start, end;
	uint64_t offset;	    /* in the file */
	struct eddy_unwind_key key; /* gen is not known from here: 0 */
	bool is_anonymous;
	char *path; /* as /proc/PID/maps prints it, ""; NULL when it was not asked for */
};

struct process_maps {
	struct process_mapping *items; /* rising, only executable ones */
	size_t nr, cap;
	bool is_cut;	 /* there are more behind: so many are not kept */
	uint64_t cpu_ns; /* of the worker that read them */
};

/*
 * Reads /proc/PID/maps, at most 16 384 mappings, with their paths or without; -errno, -ESRCH when
 * there is nothing in it (the process is ending), or as worker_pool_run().
 */
struct process_maps_query {
	uint32_t pid;
	bool with_paths;
	uint64_t patience_ns; /* at most; 0: as long as the pool has */
};
int process_maps_read(struct worker_pool *pool, const struct process_maps_query *query,
		      struct process_maps *ret_maps);
void process_maps_deinit(struct process_maps *maps);
/* Memory that they take, without paths. */
size_t process_maps_bytes(const struct process_maps *maps);
/* The mapping that holds an address; NULL. */
const struct process_mapping *process_maps_find(const struct process_maps *maps, uint64_t addr);

#endif
