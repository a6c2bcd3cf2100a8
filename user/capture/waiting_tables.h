/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables for which the maps had no room: they are kept, and tried again when other tables
 * have had the time to go (UNWIND_MAPS_REST_SECONDS).  Owners of files share the bytes that may
 * wait (util/fair_share.h): what is too much is left of the one who has most beyond his share, of
 * him what came last.
 */
#ifndef EDDY_CAPTURE_WAITING_TABLES_H
#define EDDY_CAPTURE_WAITING_TABLES_H

#include <stdint.h>

#include "capture/unwind_jobs.h"
#include "util/fair_share.h"

/* First in, first out. */
struct unwind_queue {
	struct unwind_job *head, **tail;
};

struct waiting_tables {
	struct unwind_queue jobs; /* in the order of their times */
	struct unwind_queue left; /* for which there is no place */
	struct fair_share *bytes; /* of those that wait, charged whatever a share is */
};

void waiting_tables_init(struct waiting_tables *w, uint64_t max_bytes);
/* Frees the jobs that are still there. */
void waiting_tables_deinit(struct waiting_tables *w);
/* Takes the job over; it waits there, or it, or others, are among those that are left. */
void waiting_tables_put(struct waiting_tables *w, struct unwind_job *job, uint64_t now_ns);
/* One that has waited long enough, now the caller's; NULL: none. */
struct unwind_job *waiting_tables_take(struct waiting_tables *w, uint64_t now_ns);
/* One that does not wait any more, since there is too much, now the caller's; NULL: none. */
struct unwind_job *waiting_tables_take_left(struct waiting_tables *w);

#endif
