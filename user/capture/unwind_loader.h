/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files have unwind tables in the sampler.  Those that running processes have mapped are
 * loaded before sampling starts; others when the sampler meets them, by a thread, so that draining
 * waits neither for a large file nor for one that somebody delays.
 *
 *	sampler: EDDY_EVENT_FILE -> unwind_loader_request: opened by O_PATH, numbered ->
 *	thread: copied, its table built (unwind_jobs.h) -> poll fd ->
 *	unwind_loader_poll: told of, into the maps
 */
#ifndef EDDY_CAPTURE_UNWIND_LOADER_H
#define EDDY_CAPTURE_UNWIND_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/unwind_maps.h"
#include "sampler_abi.h"
#include "unwind/late_unwind.h"
#include "util/diag.h"
#include "util/process_root.h"

struct unwind_loader;

/* Told of every file that gets a number. */
typedef void (*unwind_file_fn)(void *ctx, uint32_t file, const struct met_file *met);

/* A number that no frame has any more. */
typedef void (*unwind_file_gone_fn)(void *ctx, uint32_t file);

struct unwind_loader_opts {
	uint64_t max_bytes;	  /* for rows */
	struct worker_pool *pool; /* has the files opened; stays the caller's; NULL: nobody does */
	bool (*is_to_end)(void);  /* asked while it begins; NULL: nobody asks */
	unwind_file_fn on_file;
	unwind_file_gone_fn on_file_gone;
	void *ctx;
};

/* Begins to read the files that processes have mapped executable now, in a thread. */
int unwind_loader_new(const struct unwind_loader_opts *opts, struct unwind_loader **ret_loader,
		      struct diag *ret_diag);
void unwind_loader_free(struct unwind_loader *l); /* NULL is fine; ends the thread */

/*
 * To be called once, before anything but unwind_loader_free(): puts the vdso's table into those
 * maps, and the tables that were read by now or are within wait_ns.  Those that are read later
 * unwind_loader_poll() takes.
 */
int unwind_loader_use_maps(struct unwind_loader *l, const struct unwind_maps_fds *fds,
			   uint64_t wait_ns, struct diag *ret_diag);
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
/*
 * The receiver of descriptors has none of that file any more and cannot get one: the sampler is to
 * ask for it again when it meets it.  Its number stays.
 */
void unwind_loader_ask_again(struct unwind_loader *l, uint32_t file);
/* A window is over, and all its stacks with it. */
void unwind_loader_end_window(struct unwind_loader *l);
/* Readable when there is something for unwind_loader_poll(). */
int unwind_loader_poll_fd(const struct unwind_loader *l);
/* Tells of files whose tables are ready and puts these into the maps. */
void unwind_loader_poll(struct unwind_loader *l);

/* Is a table being built, or not yet in the maps? */
bool unwind_loader_is_busy(struct unwind_loader *l);
/*
 * What the sampler would find at an offset of a mapping's file (key: device and inode, as
 * /proc/PID/maps prints them); a file that was never asked for is pending, and so is one that
 * others share these with while stat(2) of it is not known, or when another file has got the number
 * of its inode since.  The rule is valid until the loader is used again.
 */
struct late_mapping {
	struct eddy_unwind_key key;
	uint64_t moment; /* unwind_loader_moment() when the sample came */
	/* What stat(2) says of the file; false: it is not known, or not yet. */
	bool (*stat)(void *ctx, dev_t *ret_dev, ino_t *ret_ino);
	void *ctx;
};
/* Now, counted in files that were met; NULL: 0. */
uint64_t unwind_loader_moment(const struct unwind_loader *l);
void unwind_loader_find(struct unwind_loader *l, const struct late_mapping *m, uint64_t offset,
			struct late_place *ret_place);
/* Of the options. */
struct worker_pool *unwind_loader_pool(const struct unwind_loader *l);
/* enum eddy_unwind_arch of this machine. */
int unwind_loader_arch(void);

struct unwind_loader_stats {
	struct unwind_maps_stats maps;
	uint64_t nr_files;     /* numbered so far */
	uint64_t nr_requests;  /* by the sampler */
	uint64_t nr_rewritten; /* files that were written again in place */
	uint64_t nr_unsure;    /* that may have been: the kernel had no room to tell */
	uint64_t nr_gone;      /* requests whose process ended before the file was opened */
	uint64_t nr_refused;   /* requests whose file could not be opened */
	uint64_t nr_stalled;   /* requests whose file or process did not answer in time */
	uint64_t preload_ns;   /* that unwind_loader_use_maps() took */
	uint64_t nr_preloaded; /* files that nobody had asked for */
};
void unwind_loader_get_stats(const struct unwind_loader *l, struct unwind_loader_stats *ret_stats);

#endif
