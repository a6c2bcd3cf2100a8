/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a loader is made of, for the files that are one: unwind_loader.c, unwind_loader_jobs.c. */
#ifndef EDDY_CAPTURE_UNWIND_LOADER_PARTS_H
#define EDDY_CAPTURE_UNWIND_LOADER_PARTS_H

#include "capture/file_aliases.h"
#include "capture/file_numbers.h"
#include "capture/file_twins.h"
#include "capture/file_watch.h"
#include "capture/refused_files.h"
#include "capture/unwind_jobs.h"
#include "capture/unwind_loader.h"
#include "capture/unwind_maps.h"
#include "capture/waiting_tables.h"
#include "util/clock.h"

struct unwind_loader {
	struct unwind_loader_opts opts;
	struct unwind_maps *maps;
	struct file_numbers *files;
	struct file_watch *watch;     /* of the same files */
	struct file_aliases *aliases; /* of the same files */
	struct refused_files *refused;
	struct file_twins twins; /* of the same files */
	uint64_t nr_requests, nr_gone, nr_refused, nr_stalled, nr_rewritten, nr_unsure;
	uint64_t preload_ns, nr_preloaded;
	struct limit_counts limits;
	struct unwind_jobs *jobs;
	struct waiting_tables waiting;
};

static inline uint64_t unwind_loader_now_s(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000000;
}

/* The file is charged to its owner; others of his may make way. */
void unwind_loader_own_file(struct unwind_loader *l, const struct eddy_unwind_key *key,
			    uint32_t uid);
/* Tells the consumer of it.  The descriptor stays the caller's. */
void unwind_loader_tell_file(struct unwind_loader *l, uint32_t id, const struct met_file *met);
/*
 * There is no file: one whose process has ended is asked for by the next sample, for another may
 * have it mapped; one that may not be opened has no table, and is not asked for for some time.
 */
void unwind_loader_file_is_missing(struct unwind_loader *l, const struct eddy_unwind_key *key,
				   int err);

/*
 * Takes in a file that somebody asked for and that was opened, or not: it gets a number, and soon a
 * table.
 */
void unwind_loader_take_opened(struct unwind_loader *l, struct unwind_job *job);
/* Takes in all files that were read. */
void unwind_loader_take_jobs(struct unwind_loader *l);
/* Tables that wait for room, as far as there is some now. */
void unwind_loader_retry(struct unwind_loader *l);

#endif
