/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes have mapped, for samples that wait.  Mappings are read once for all samples of a
 * process that were taken before the reading.  That is pressing, for it may end, but it can have a
 * million of them, or a lock that the reading waits for: then threads do it (util/owner_jobs.h).
 *
 * A process whose reading takes long is not read again for longer, 5 % of the time at most; where
 * it takes 5 ms, all that its owner's processes take counts.
 */
#ifndef EDDY_CAPTURE_LATE_VIEWS_H
#define EDDY_CAPTURE_LATE_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/process_maps.h"
#include "sampler_abi.h"
#include "util/worker_pool.h"

struct late_views;

enum late_view_state {
	LATE_VIEW_READING,
	LATE_VIEW_READ,
	LATE_VIEW_GONE, /* the process is, or did not let itself be read */
};

/* The mappings of a process at some time.  Fields are to be read, by who has a reference. */
struct late_view {
	unsigned int refs;
	enum late_view_state state;
	uint32_t pid;
	uint64_t asked_ns; /* it is not older */
	/* Of one that is read: */
	uint64_t begun_ns; /* its program is not older; 0: not known */
	struct process_maps maps;
	struct late_link *links; /* late_views.c's */
	owner_id owner;
};

/*
 * pool: reads mappings, stays the caller's; NULL: the threads do.  begun_ns: of programs, see
 * EDDY_NR_BEGUN; NULL: not known.  Negative errno.
 */
int late_views_new(struct worker_pool *pool, const __u64 *begun_ns, struct late_views **ret_views);
/* All references have been given back.  NULL is fine. */
void late_views_free(struct late_views *v);

/*
 * A view that is not older than that time, of a process of that user: the latest, or a new one,
 * which is read at once or soon.  A reference; or NULL: it is to be asked for again, since an
 * earlier one is being read, or too many of its owner's are, or, unless `now` is true, its process
 * rests.
 */
struct late_view *late_views_get(struct late_views *v, uint32_t pid, uint32_t uid, uint64_t time_ns,
				 bool now);
void late_view_unref(struct late_views *v, struct late_view *view); /* NULL is fine */

/*
 * What stat(2) says of the file behind one of the view's mappings, which its file system may take
 * its time for.  False: it is not known yet, and asked for; or it will never be.
 */
bool late_view_stat(struct late_views *v, struct late_view *view, const struct process_mapping *m,
		    dev_t *ret_dev, ino_t *ret_ino);

/* Takes in what was read meanwhile: states of views that somebody has change here alone. */
void late_views_poll(struct late_views *v);
/* Questions that are not answered yet. */
size_t late_views_nr_reading(const struct late_views *v);
/* Memory of all that somebody has a reference of, or that are kept for samples to come. */
size_t late_views_bytes(const struct late_views *v);
/* Keeps none for samples to come. */
void late_views_forget(struct late_views *v);

#endif
