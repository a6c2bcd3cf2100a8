/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files have unwind tables in the sampler.  Those that running processes have mapped are
 * loaded before sampling starts; others when the sampler meets them, by a worker thread, so that
 * draining never waits for a large file.
 *
 *	sampler: EDDY_EVENT_FILE -> unwind_loader_request: opens the file at once (its process may
 *	end), numbers it -> worker: builds the table -> poll fd -> unwind_loader_poll: into the maps
 */
#ifndef EDDY_CAPTURE_UNWIND_LOADER_H
#define EDDY_CAPTURE_UNWIND_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/unwind_maps.h"
#include "sampler_abi.h"
#include "unwind/late_unwind.h"
#include "util/diag.h"

struct unwind_loader;

/* Told of every file that gets a number; fd is the receiver's to close. */
typedef void (*unwind_file_fn)(void *ctx, uint32_t file, int fd, const char *path);

/* A number that no frame has any more. */
typedef void (*unwind_file_gone_fn)(void *ctx, uint32_t file);

struct unwind_loader_opts {
	struct unwind_maps_fds fds;
	uint64_t max_bytes; /* for rows */
	unwind_file_fn on_file;
	unwind_file_gone_fn on_file_gone;
	void *ctx;
};

int unwind_loader_new(const struct unwind_loader_opts *opts, struct unwind_loader **ret_loader,
		      struct diag *ret_diag);
void unwind_loader_free(struct unwind_loader *l); /* NULL is fine; ends the worker */

/* Loads the vdso's table and those of the files that processes have mapped executable now. */
void unwind_loader_preload(struct unwind_loader *l);
/*
 * Begins to load a file that the sampler asked for.  One that cannot be opened has no table for
 * some seconds; then it is asked for again.
 */
void unwind_loader_request(struct unwind_loader *l, const struct eddy_file_event *ev);
/*
 * Forgets files that were not used for some minutes, sooner when there are many; the sampler asks
 * again when it meets one; gives back memory that looking things up needed.  Cheap, to be called
 * about once a second.
 */
void unwind_loader_age(struct unwind_loader *l);
/* A window is over, and all its stacks with it. */
void unwind_loader_end_window(struct unwind_loader *l);
/* Readable when the worker has tables ready. */
int unwind_loader_poll_fd(const struct unwind_loader *l);
/* Puts what is ready into the maps. */
void unwind_loader_poll(struct unwind_loader *l);

/* Is a table being built, or not yet in the maps? */
bool unwind_loader_is_busy(struct unwind_loader *l);
/*
 * What the sampler would find at an offset of a file (by device and inode, as /proc/PID/maps prints
 * them); a file that was never asked for is pending.  The rule is valid until the loader is used
 * again.
 */
void unwind_loader_find(struct unwind_loader *l, const struct eddy_unwind_key *key, uint64_t offset,
			struct late_place *ret_place);
/* enum eddy_unwind_arch of this machine. */
int unwind_loader_arch(void);

struct unwind_loader_stats {
	struct unwind_maps_stats maps;
	uint64_t nr_files;	   /* numbered so far */
	uint64_t nr_requests;	   /* by the sampler */
	uint64_t nr_rewritten;	   /* files that were written again in place */
	uint64_t nr_rules_refused; /* rows whose rule did not get a number */
	uint64_t nr_gone;	   /* requests whose process ended before the file was opened */
	uint64_t nr_refused;	   /* requests whose file could not be opened */
	uint64_t preload_ns;
	uint64_t nr_preloaded;
};
void unwind_loader_get_stats(const struct unwind_loader *l, struct unwind_loader_stats *ret_stats);

#endif
