/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sampler hands over, on its way to the collector: a queue, and a thread that empties it.
 * To name a stack may take seconds, as files and processes of others are read for it; the ring, the
 * requests for unwind tables and samples that wait for one are served meanwhile, for those who own
 * other files.
 *
 *	ring ──► who drains ──► queue ──► thread: collector, symbolizer, the kernel's own code
 *
 * All is done in the order in which it was handed over.  The collector, the symbolizer and what
 * they use belong to the thread from naming_begin() on; who drains may use them between
 * naming_hold() and naming_go_on().
 *
 * The queue is bounded: stacks of who has more than his share in it (util/fair_share.h) go without
 * their user frames, which is counted; beyond twice the bound it is waited for.
 */
#ifndef EDDY_RUN_NAMING_H
#define EDDY_RUN_NAMING_H

#include <stddef.h>
#include <stdint.h>

#include "collect/collector.h"
#include "symbol/symbolizer.h"
#include "util/cleanup.h"
#include "util/limit.h"
#include "util/worker_pool.h"

struct naming;

struct naming_opts {
	struct collector *collector; /* these three stay the caller's */
	struct symbolizer *symbolizer;
	struct worker_pool *pool; /* the thread hurries as long as its processes do; NULL: never */
	size_t max_bytes;	  /* of stacks that wait; 0: 32 MiB */
	/* Called by the thread: when poll_fd (-1: none) is readable, and about once a second. */
	int poll_fd;
	void (*poll)(void *ctx);
	void (*age)(void *ctx);
	void *ctx;
};

struct naming *naming_new(const struct naming_opts *opts);
/* Ends the thread; what still waits is dropped.  NULL is fine. */
void naming_free(struct naming *n);
DEFINE_FREE(naming, struct naming *, naming_free)

/* From here on by a thread; before, and where none can be made, all is done at once. */
void naming_begin(struct naming *n);

/* ---- by who drains: as the functions of the collector and the symbolizer -------------------- */

uint32_t naming_stack(struct naming *n, const struct eddy_stack_event *ev);
void naming_count(struct naming *n, uint32_t tag, uint64_t samples, uint64_t weight);
void naming_time(struct naming *n, uint32_t tag, uint64_t time_ns, uint64_t weight);
void naming_wait(struct naming *n, uint32_t tag, enum eddy_wait state, uint64_t waits, uint64_t ns);
void naming_forget(struct naming *n);
void naming_file(struct naming *n, uint32_t file, const struct met_file *met);
void naming_file_gone(struct naming *n, uint32_t file);
void naming_exec(struct naming *n, const struct eddy_process_event *ev);
void naming_cgroup(struct naming *n, const struct eddy_cgroup_event *ev);

/* About once a second: symbolizer_age() and opts.age. */
void naming_age(struct naming *n);
/* What symbolizer_next_lost() said then; 0: no (other) one. */
uint32_t naming_next_lost(struct naming *n);

/*
 * Returns when all that was handed over is done.  What is handed over from then on, or by
 * meanwhile(), which is called again and again (NULL: nothing is to be done), belongs to the next
 * window: its tags begin anew.  It waits for naming_go_on().
 */
void naming_hold(struct naming *n, void (*meanwhile)(void *ctx), void *ctx);
/* The same within a window: tags go on. */
void naming_pause(struct naming *n);
void naming_go_on(struct naming *n);

/* Adds how often the bound was met. */
void naming_add_limits(const struct naming *n, struct limit_counts *to);

#endif
