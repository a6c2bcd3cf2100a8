// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies are large: there are two at a time, and while a capture begins another one.  Opening is no
 * work, but the process that is asked may be held up, or end: it is done before, at once where that
 * takes no time, and else by threads of its own.
 */
#include "capture/unwind_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/running_files.h"
#include "unwind/unwind_parse.h"
#include "util/cleanup.h"
#include "util/fair_share.h"
#include "util/mem.h"

/* On their way: each holds a descriptor. */
#define MAX_JOBS  128
#define MAX_EARLY 256		/* read and not taken; the same */
#define PARSE_NS  3000000000ull /* at most: the start and the end of a capture wait for it */

#define NR_OPENERS  2
#define NR_BUILDERS 2

struct unwind_jobs {
	struct worker_pool *pool;
	const struct file_watch_fds *watch;
	size_t nr;
	struct fair_share *places;
	struct owner_jobs *openers, *builders; /* what is done stands with these */
	pthread_t early;
	bool has_early;
	bool (*is_to_end)(void);
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t room;
	size_t nr_early; /* that were read and not taken */
	bool early_is_over;
	bool stop;
};

void unwind_job_free(struct unwind_job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	process_root_unref(job->root);
	unwind_table_free(job->table);
	free(job);
}

/* ---- threads ------------------------------------------------------------------------------ */

int unwind_table_parse(struct worker_pool *pool, const struct mapped_copy *copy,
		       struct unwind_table **ret_table)
{
	const struct worker_request request = { .fds = { copy->fd, -1 } };
	_cleanup_worker_answer_ struct worker_answer answer = { .fd = -1 };
	int r;

	*ret_table = NULL;
	if (copy->fd < 0)
		return 0;
	r = worker_pool_parse(pool, unwind_parse, &request, PARSE_NS, &answer);
	if (r < 0)
		return r == -EAGAIN || r == -EBUSY ? r : -EACCES;
	*ret_table = unwind_parsed(&answer, NULL);
	if (!*ret_table)
		return -EACCES;
	(*ret_table)->owner = owner_of_uid(copy->stat.uid);
	return 0;
}

/* The table of its copy. */
static void job_parse(struct unwind_jobs *j, struct unwind_job *job)
{
	job->err = unwind_table_parse(j->pool, &job->copy, &job->table);
	if (job->err == -EACCES) {
		job->is_unparsed = true;
		job->err = 0;
	}
}

static struct unwind_job *job_of(struct owner_job *job)
{
	return (struct unwind_job *)job;
}

static void drop(struct owner_job *job)
{
	unwind_job_free(job_of(job));
}

static void open_it(void *ctx, struct owner_job *owned, bool at_once)
{
	const uint64_t patience_ns = at_once ? OWNER_JOBS_AT_ONCE_NS : 0;
	struct unwind_job *job = job_of(owned);
	const struct asked_mapping asked = { .ev = &job->ev,
					     .owner = owned->owner,
					     .patience_ns = patience_ns };
	const struct asked_root asked_root = { .root = "",
					       .pid = (pid_t)job->ev.pid,
					       .owner = owned->owner,
					       .patience_ns = patience_ns };
	struct unwind_jobs *j = ctx;

	job->fd = mapping_open(j->pool, &asked);
	job->err = job->fd < 0 ? job->fd : 0;
	if (job->err)
		job->fd = -1;
	else
		job->root = process_root_open(j->pool, &asked_root);
}

static void build_it(void *ctx, struct owner_job *owned, bool at_once)
{
	struct unwind_job *job = job_of(owned);
	const struct asked_mapping asked = { .ev = &job->ev, .owner = owned->owner };
	struct unwind_jobs *j = ctx;

	job->err = mapping_read(j->pool, &asked, job->fd, j->watch, &job->copy);
	if (job->err)
		return;
	job_parse(j, job);
	if (job->copy.fd >= 0)
		close(take_fd(&job->copy.fd));
}

static bool early_is_to_end(void *ctx)
{
	struct unwind_jobs *j = ctx;
	bool stop;

	pthread_mutex_lock(&j->lock);
	stop = j->stop;
	pthread_mutex_unlock(&j->lock);
	return stop || (j->is_to_end && j->is_to_end());
}

static void early_file(void *ctx, const struct asked_mapping *asked, int fd,
		       struct process_root *root, const struct mapped_copy *copy)
{
	struct unwind_job *job = xcalloc(1, sizeof(*job));
	struct unwind_jobs *j = ctx;

	job->ev = *asked->ev;
	job->job.owner = asked->owner;
	job->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	job->root = process_root_ref(root);
	job->copy = *copy;
	job->is_early = true;
	job_parse(j, job);
	job->copy.fd = -1; /* closed by who opened it */
	if (job->fd < 0 || job->err) {
		unwind_job_free(job);
		return;
	}
	pthread_mutex_lock(&j->lock);
	while (j->nr_early == MAX_EARLY && !j->stop)
		pthread_cond_wait(&j->room, &j->lock);
	j->nr_early++;
	pthread_mutex_unlock(&j->lock);
	owner_jobs_add_done(j->builders, &job->job);
}

static void *work_early(void *arg)
{
	struct unwind_jobs *j = arg;

	running_files_each(j->pool, j->watch, early_is_to_end, early_file, j);
	pthread_mutex_lock(&j->lock);
	j->early_is_over = true;
	pthread_mutex_unlock(&j->lock);
	owner_jobs_tell(j->builders);
	return NULL;
}

static void early_end(struct unwind_jobs *j)
{
	pthread_mutex_lock(&j->lock);
	j->stop = true;
	pthread_cond_signal(&j->room);
	pthread_mutex_unlock(&j->lock);
	if (j->has_early)
		pthread_join(j->early, NULL);
}

/* ---- life --------------------------------------------------------------------------------- */

static int threads_new(struct unwind_jobs *j)
{
	struct owner_jobs_opts opts = {
		.nr_threads = NR_BUILDERS,
		.pool = j->pool,
		.run = build_it,
		.drop = drop,
		.ctx = j,
	};
	int r = owner_jobs_new(&opts, &j->builders);

	if (r < 0)
		return r;
	opts.nr_threads = NR_OPENERS;
	opts.run = open_it;
	opts.done_in = j->builders;
	return owner_jobs_new(&opts, &j->openers);
}

int unwind_jobs_new(struct worker_pool *pool, const struct file_watch_fds *watch,
		    struct unwind_jobs **ret_jobs)
{
	struct unwind_jobs *j = xcalloc(1, sizeof(*j));
	int r;

	j->pool = pool;
	j->watch = watch;
	j->places = fair_share_new(MAX_JOBS);
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->room, NULL);
	r = threads_new(j);
	if (r < 0) {
		unwind_jobs_free(j);
		return r;
	}
	*ret_jobs = j;
	return 0;
}

void unwind_jobs_free(struct unwind_jobs *j)
{
	if (!j)
		return;
	early_end(j);
	owner_jobs_free(j->openers);
	owner_jobs_free(j->builders);
	pthread_cond_destroy(&j->room);
	pthread_mutex_destroy(&j->lock);
	fair_share_free(j->places);
	free(j);
}

/* ---- who asks ----------------------------------------------------------------------------- */

void unwind_jobs_begin_early(struct unwind_jobs *j, bool (*is_to_end)(void))
{
	j->is_to_end = is_to_end;
	j->has_early = !pthread_create(&j->early, NULL, work_early, j);
}

bool unwind_jobs_early_is_over(struct unwind_jobs *j)
{
	bool is_over;

	pthread_mutex_lock(&j->lock);
	is_over = !j->has_early || j->early_is_over;
	pthread_mutex_unlock(&j->lock);
	return is_over;
}

bool unwind_jobs_are_full(struct unwind_jobs *j, owner_id owner)
{
	return fair_share_ask(j->places, owner, 1) < 0;
}

static void place_take(struct unwind_jobs *j, const struct unwind_job *job)
{
	j->nr++;
	fair_share_charge(j->places, job->job.owner, 1);
}

struct unwind_job *unwind_jobs_open(struct unwind_jobs *j, const struct eddy_file_event *ev,
				    owner_id owner)
{
	struct unwind_job *job = xcalloc(1, sizeof(*job));

	job->ev = *ev;
	job->job.owner = owner;
	job->is_opened = true;
	job->fd = -1;
	job->copy.fd = -1;
	if (owner_jobs_add_pressing(j->openers, &job->job))
		return job;
	place_take(j, job);
	return NULL;
}

void unwind_jobs_build(struct unwind_jobs *j, struct unwind_job *job)
{
	job->is_opened = false;
	place_take(j, job);
	owner_jobs_add(j->builders, &job->job);
}

struct unwind_job *unwind_jobs_take(struct unwind_jobs *j)
{
	struct owner_job *owned = owner_jobs_take(j->builders);
	struct unwind_job *job = owned ? job_of(owned) : NULL;

	if (!job)
		return NULL;
	if (!job->is_early) {
		j->nr--;
		fair_share_give(j->places, owned->owner, 1);
		return job;
	}
	pthread_mutex_lock(&j->lock);
	j->nr_early--;
	pthread_cond_signal(&j->room);
	pthread_mutex_unlock(&j->lock);
	return job;
}

size_t unwind_jobs_nr(const struct unwind_jobs *j)
{
	return j->nr;
}

int unwind_jobs_fd(const struct unwind_jobs *j)
{
	return owner_jobs_fd(j->builders);
}
