// SPDX-License-Identifier: GPL-2.0-or-later
/* Readings of views and of links are jobs; only who drains touches the views themselves. */
#include "capture/late_views.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "util/clock.h"
#include "util/fair_share.h"
#include "util/far_file.h"
#include "util/mem.h"
#include "util/owner_jobs.h"

#define NR_READERS  2
#define MAX_READING 1024
#define NR_LATEST   32	/* processes that have late samples by turns */
#define NR_RESTS    256 /* processes that may have to rest */
#define REST_TIMES  19	/* so many times what reading took: 5 % of the time at most */
#define LONG_NS	    5000000ull
#define MAX_REST_NS 2000000000ull /* samples wait no longer than 3 s */

/* What stat(2) says of a mapping's file. */
struct late_link {
	bool is_asked, is_known;
	dev_t dev;
	ino_t ino;
};

/*
 * A reading of a view, which it has a reference of, or of one of its links; until it is done the
 * thread's.
 */
struct reading {
	struct owner_job job;
	struct late_view *view;
	uint32_t pid;
	int err;
	/* Of a view: */
	uint64_t begun_ns;
	struct process_maps maps;
	/* Of a link: */
	bool is_of_link;
	size_t index;
	uint64_t start, end;
	struct far_stat stat;
};

/* What the last reading of a process took, and until when it is left alone. */
struct rest {
	uint32_t pid;
	owner_id owner;
	uint64_t cpu_ns, until_ns;
};

struct late_views {
	struct worker_pool *pool;
	const __u64 *begun_ns;
	struct owner_jobs *readers;
	struct fair_share *places;	     /* of views that are being read */
	struct late_view *latest[NR_LATEST]; /* of the process met last, by PID; NULL */
	struct rest rests[NR_RESTS];	     /* the same */
	size_t bytes;
};

/* ---- in a thread -------------------------------------------------------------------------- */

static void read_link(const struct late_views *v, struct reading *r)
{
	const struct worker_key key = far_process_of((pid_t)r->pid, r->job.owner);
	char link[64];

	snprintf(link, sizeof(link), "/proc/%u/map_files/%llx-%llx", r->pid,
		 (unsigned long long)r->start, (unsigned long long)r->end);
	r->err = far_stat_path(v->pool, &key, link, &r->stat);
}

static void read_view(const struct late_views *v, struct reading *r, bool at_once)
{
	const uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const struct process_maps_query query = {
		.pid = r->pid,
		.patience_ns = at_once ? OWNER_JOBS_AT_ONCE_NS : 0,
	};

	r->err = process_maps_read(v->pool, &query, &r->maps);
	if (v->begun_ns)
		r->begun_ns =
			__atomic_load_n(&v->begun_ns[r->pid % EDDY_NR_BEGUN], __ATOMIC_ACQUIRE);
	r->job.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns + r->maps.cpu_ns;
}

static void read_it(void *ctx, struct owner_job *job, bool at_once)
{
	struct reading *r = (struct reading *)job;

	if (r->is_of_link)
		read_link(ctx, r);
	else
		read_view(ctx, r, at_once);
}

static void view_free(struct late_view *view)
{
	process_maps_deinit(&view->maps);
	free(view->links);
	free(view);
}

/* No references are left but those of readings. */
static void drop(struct owner_job *job)
{
	struct reading *r = (struct reading *)job;

	process_maps_deinit(&r->maps);
	if (!--r->view->refs)
		view_free(r->view);
	free(r);
}

/* ---- life --------------------------------------------------------------------------------- */

int late_views_new(struct worker_pool *pool, const __u64 *begun_ns, struct late_views **ret_views)
{
	struct late_views *v = xcalloc(1, sizeof(*v));
	const struct owner_jobs_opts opts = {
		.nr_threads = NR_READERS,
		.pool = pool,
		.run = read_it,
		.drop = drop,
		.ctx = v,
	};
	int r = owner_jobs_new(&opts, &v->readers);

	if (r < 0) {
		free(v);
		return r;
	}
	v->places = fair_share_new(MAX_READING);
	v->pool = pool;
	v->begun_ns = begun_ns;
	*ret_views = v;
	return 0;
}

void late_views_free(struct late_views *v)
{
	if (!v)
		return;
	late_views_forget(v);
	owner_jobs_free(v->readers);
	fair_share_free(v->places);
	free(v);
}

static size_t view_bytes(const struct late_view *view)
{
	return sizeof(*view) + process_maps_bytes(&view->maps) +
	       (view->links ? view->maps.nr * sizeof(*view->links) : 0);
}

void late_view_unref(struct late_views *v, struct late_view *view)
{
	if (!view || --view->refs)
		return;
	v->bytes -= view_bytes(view);
	view_free(view);
}

void late_views_forget(struct late_views *v)
{
	for (size_t i = 0; i < NR_LATEST; i++)
		late_view_unref(v, take_ptr(v->latest[i]));
}

size_t late_views_nr_reading(const struct late_views *v)
{
	return fair_share_used(v->places);
}

size_t late_views_bytes(const struct late_views *v)
{
	return v->bytes;
}

/* ---- rests -------------------------------------------------------------------------------- */

static bool has_to_rest(const struct late_views *v, uint32_t pid)
{
	const struct rest *rest = &v->rests[pid % NR_RESTS];

	return rest->pid == pid && clock_ns(CLOCK_MONOTONIC) < rest->until_ns;
}

static bool is_known_slow(const struct late_views *v, uint32_t pid)
{
	const struct rest *rest = &v->rests[pid % NR_RESTS];

	return rest->pid == pid && rest->cpu_ns >= LONG_NS;
}

/* What the latest readings of all that owner's processes took. */
static uint64_t owner_cpu_ns(const struct late_views *v, owner_id owner)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < NR_RESTS; i++)
		if (v->rests[i].owner == owner)
			sum += v->rests[i].cpu_ns;
	return sum;
}

static void rest_note(struct late_views *v, const struct reading *r)
{
	struct rest *rest = &v->rests[r->pid % NR_RESTS];
	uint64_t ns;

	*rest = (struct rest){ .pid = r->pid, .owner = r->job.owner, .cpu_ns = r->job.cpu_ns };
	ns = REST_TIMES * (r->job.cpu_ns < LONG_NS ? r->job.cpu_ns : owner_cpu_ns(v, r->job.owner));
	rest->until_ns = clock_ns(CLOCK_MONOTONIC) + (ns < MAX_REST_NS ? ns : MAX_REST_NS);
}

/* ---- views -------------------------------------------------------------------------------- */

static void link_take(struct late_link *link, const struct reading *r)
{
	link->is_known = r->err >= 0;
	link->dev = r->stat.dev;
	link->ino = r->stat.ino;
}

static void view_take(struct late_views *v, struct late_view *view, const struct reading *r)
{
	view->state = r->err < 0 ? LATE_VIEW_GONE : LATE_VIEW_READ;
	view->begun_ns = r->begun_ns;
	view->maps = r->maps;
	v->bytes += process_maps_bytes(&view->maps);
	rest_note(v, r);
}

static void reading_take(struct late_views *v, struct reading *r)
{
	fair_share_give(v->places, r->job.owner, 1);
	if (r->is_of_link)
		link_take(&r->view->links[r->index], r);
	else
		view_take(v, r->view, r);
	late_view_unref(v, r->view);
	free(r);
}

static struct reading *reading_new(struct late_view *view)
{
	struct reading *r = xcalloc(1, sizeof(*r));

	view->refs++;
	r->view = view;
	r->pid = view->pid;
	r->job.owner = view->owner;
	return r;
}

static void view_read(struct late_views *v, struct late_view *view)
{
	struct reading *r = reading_new(view);

	if (is_known_slow(v, view->pid))
		owner_jobs_add(v->readers, &r->job);
	else if (owner_jobs_add_pressing(v->readers, &r->job))
		reading_take(v, r);
}

/* NULL: there is no place. */
static struct late_view *view_new(struct late_views *v, uint32_t pid, owner_id owner)
{
	struct late_view *view;

	if (fair_share_take(v->places, owner, 1) < 0)
		return NULL;
	view = xcalloc(1, sizeof(*view));
	view->refs = 1;
	view->pid = pid;
	view->owner = owner;
	view->asked_ns = clock_ns(CLOCK_MONOTONIC);
	v->bytes += view_bytes(view);
	view_read(v, view);
	return view;
}

void late_views_poll(struct late_views *v)
{
	struct owner_job *job;

	while ((job = owner_jobs_take(v->readers)))
		reading_take(v, (struct reading *)job);
}

struct late_view *late_views_get(struct late_views *v, uint32_t pid, uint32_t uid, uint64_t time_ns,
				 bool now)
{
	struct late_view **latest = &v->latest[pid % NR_LATEST], *view = *latest;
	bool is_its_own = view && view->pid == pid;

	if (!is_its_own || view->asked_ns < time_ns) {
		if (is_its_own && view->state == LATE_VIEW_READING)
			return NULL;
		if (!now && has_to_rest(v, pid))
			return NULL;
		view = view_new(v, pid, owner_of_uid(uid));
		if (!view)
			return NULL;
		late_view_unref(v, *latest);
		*latest = view;
	}
	view->refs++;
	return view;
}

/* Nothing is pressing about it: who maps files of such file systems is asked by threads alone. */
static void link_ask(struct late_views *v, struct late_view *view, size_t index)
{
	const struct process_mapping *m = &view->maps.items[index];
	struct reading *r;

	if (fair_share_take(v->places, view->owner, 1) < 0)
		return;
	r = reading_new(view);
	r->is_of_link = true;
	r->index = index;
	r->start = m->start;
	r->end = m->end;
	view->links[index].is_asked = true;
	owner_jobs_add(v->readers, &r->job);
}

bool late_view_stat(struct late_views *v, struct late_view *view, const struct process_mapping *m,
		    dev_t *ret_dev, ino_t *ret_ino)
{
	const size_t index = m - view->maps.items;
	const struct late_link *link;

	if (!view->links) {
		view->links = xcalloc(view->maps.nr, sizeof(*view->links));
		v->bytes += view->maps.nr * sizeof(*view->links);
	}
	link = &view->links[index];
	if (!link->is_asked)
		link_ask(v, view, index);
	*ret_dev = link->dev;
	*ret_ino = link->ino;
	return link->is_known;
}
