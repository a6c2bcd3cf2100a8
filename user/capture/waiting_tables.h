/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables for which the maps had no room: they are kept, and tried again when other tables
 * have had the time to go (UNWIND_MAPS_REST_SECONDS).
 */
#ifndef EDDY_CAPTURE_WAITING_TABLES_H
#define EDDY_CAPTURE_WAITING_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/unwind_jobs.h"

struct waiting_tables {
	struct unwind_queue jobs; /* in the order of their times */
	uint64_t bytes, max_bytes;
};

void waiting_tables_init(struct waiting_tables *w, uint64_t max_bytes);
/* Frees the jobs that still wait. */
void waiting_tables_deinit(struct waiting_tables *w);
/* The job waits there and is its own; false: too much waits, the job is the caller's. */
bool waiting_tables_put(struct waiting_tables *w, struct unwind_job *job, uint64_t now_ns);
/* One that has waited long enough, now the caller's; NULL: none. */
struct unwind_job *waiting_tables_take(struct waiting_tables *w, uint64_t now_ns);

#endif
