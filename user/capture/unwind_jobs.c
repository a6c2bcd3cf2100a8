// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies are large: there are two at a time, and while a capture begins another one.  Two, for one
 * file may take seconds: those of other owners do not wait for it.
 */
#include "capture/unwind_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "capture/running_files.h"
#include "unwind/unwind_parse.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/fair_share.h"
#include "util/mem.h"
#include "util/priority.h"

/* On their way: each holds a descriptor. */
#define MAX_JOBS  128
#define MAX_EARLY 256		/* read and not taken; the same */
#define PARSE_NS  3000000000ull /* at most: the start and the end of a capture wait for it */

#define NR_BUILDERS  2
#define MAX_TIMES    64
#define HALF_LIFE_NS 10000000000ull

/* What of the threads' time an owner had lately. */
struct time_of {
	owner_id owner;
	uint64_t ns;
};

struct unwind_jobs {
	struct worker_pool *pool;
	const struct file_watch_fds *watch;
	size_t nr;
	struct fair_share *places;
	int done_fd; /* eventfd: something is in `done` */
	pthread_t builders[NR_BUILDERS], early;
	size_t nr_builders; /* that were made */
	bool is_urgent;	    /* so was who made the threads, and they began like that */
	bool has_early;
	bool (*is_to_end)(void);
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t more, room;
	struct unwind_queue todo, done;
	owner_id served[NR_BUILDERS]; /* whose jobs are done now */
	size_t nr_served;
	struct time_of times[MAX_TIMES];
	size_t nr_times;
	uint64_t halved_ns; /* when all times were */
	size_t nr_early;    /* in `done` */
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

void unwind_queue_init(struct unwind_queue *q)
{
	q->head = NULL;
	q->tail = &q->head;
}

void unwind_queue_put(struct unwind_queue *q, struct unwind_job *job)
{
	job->next = NULL;
	*q->tail = job;
	q->tail = &job->next;
}

struct unwind_job *unwind_queue_take(struct unwind_queue *q)
{
	struct unwind_job *job = q->head;

	if (job) {
		q->head = job->next;
		if (!q->head)
			q->tail = &q->head;
	}
	return job;
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

static struct time_of *time_find(struct unwind_jobs *j, owner_id owner)
{
	for (size_t i = 0; i < j->nr_times; i++)
		if (j->times[i].owner == owner)
			return &j->times[i];
	return NULL;
}

/* Times of long ago are forgotten, and when there are too many, those who had least. */
static void times_halve(struct unwind_jobs *j, uint64_t now_ns)
{
	size_t out = 0;

	j->halved_ns = now_ns;
	for (size_t i = 0; i < j->nr_times; i++) {
		j->times[out] = j->times[i];
		j->times[out].ns /= 2;
		out += j->times[out].ns > 1000000;
	}
	j->nr_times = out;
}

static void time_note(struct unwind_jobs *j, owner_id owner, uint64_t ns)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct time_of *t;

	if (now_ns - j->halved_ns >= HALF_LIFE_NS || j->nr_times == MAX_TIMES)
		times_halve(j, now_ns);
	t = time_find(j, owner);
	if (!t && j->nr_times < MAX_TIMES) {
		t = &j->times[j->nr_times++];
		*t = (struct time_of){ .owner = owner };
	}
	if (t)
		t->ns += ns;
}

static bool is_served(const struct unwind_jobs *j, owner_id owner)
{
	for (size_t i = 0; i < j->nr_served; i++)
		if (j->served[i] == owner)
			return true;
	return false;
}

static void served_remove(struct unwind_jobs *j, owner_id owner)
{
	for (size_t i = 0; i < j->nr_served; i++)
		if (j->served[i] == owner) {
			j->served[i] = j->served[--j->nr_served];
			return;
		}
}

/*
 * The first job of the owner who had least of the time lately, of those who have none done now;
 * NULL: there is none.
 */
static struct unwind_job *next_job(struct unwind_jobs *j)
{
	struct unwind_job **best = NULL, *job;
	uint64_t least = UINT64_MAX;

	for (struct unwind_job **at = &j->todo.head; *at; at = &(*at)->next) {
		const struct time_of *t = time_find(j, (*at)->owner);
		uint64_t ns = t ? t->ns : 0;

		if (ns >= least || is_served(j, (*at)->owner))
			continue;
		least = ns;
		best = at;
	}
	if (!best)
		return NULL;
	job = *best;
	*best = job->next;
	if (j->todo.tail == &job->next)
		j->todo.tail = best;
	return job;
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

static void job_do(struct unwind_jobs *j, struct unwind_job *job)
{
	const struct asked_mapping asked = { &job->ev, job->owner };

	job->err = mapping_read(j->pool, &asked, job->fd, j->watch, &job->copy);
	if (job->err)
		return;
	job_parse(j, job);
	if (job->copy.fd >= 0)
		close(take_fd(&job->copy.fd));
}

/* With the lock. */
static void tell_done(struct unwind_jobs *j)
{
	const uint64_t one = 1;

	if (write(j->done_fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: it is readable all the same */
}

static void *work(void *arg)
{
	struct unwind_jobs *j = arg;
	bool is_urgent = j->is_urgent;

	pthread_mutex_lock(&j->lock);
	while (!j->stop) {
		struct unwind_job *job = next_job(j);
		uint64_t begun_ns;

		if (!job) {
			pthread_cond_wait(&j->more, &j->lock);
			continue;
		}
		j->served[j->nr_served++] = job->owner;
		pthread_mutex_unlock(&j->lock);
		if (is_urgent && !worker_pool_is_urgent(j->pool)) {
			is_urgent = false;
			priority_relax();
		}
		begun_ns = clock_ns(CLOCK_MONOTONIC);
		job_do(j, job);
		pthread_mutex_lock(&j->lock);
		served_remove(j, job->owner);
		time_note(j, job->owner, clock_ns(CLOCK_MONOTONIC) - begun_ns);
		unwind_queue_put(&j->done, job);
		tell_done(j);
	}
	pthread_mutex_unlock(&j->lock);
	return NULL;
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
	job->owner = asked->owner;
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
	unwind_queue_put(&j->done, job);
	tell_done(j);
	pthread_mutex_unlock(&j->lock);
}

static void *work_early(void *arg)
{
	struct unwind_jobs *j = arg;

	running_files_each(j->pool, j->watch, early_is_to_end, early_file, j);
	pthread_mutex_lock(&j->lock);
	j->early_is_over = true;
	tell_done(j);
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

static void threads_end(struct unwind_jobs *j)
{
	pthread_mutex_lock(&j->lock);
	j->stop = true;
	pthread_cond_broadcast(&j->more);
	pthread_cond_signal(&j->room);
	pthread_mutex_unlock(&j->lock);
	for (size_t i = 0; i < j->nr_builders; i++)
		pthread_join(j->builders[i], NULL);
	if (j->has_early)
		pthread_join(j->early, NULL);
}

/* ---- life --------------------------------------------------------------------------------- */

int unwind_jobs_new(struct worker_pool *pool, const struct file_watch_fds *watch,
		    struct unwind_jobs **ret_jobs)
{
	int done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct unwind_jobs *j;

	if (done_fd < 0)
		return -errno;
	j = xcalloc(1, sizeof(*j));
	j->done_fd = done_fd;
	j->pool = pool;
	j->watch = watch;
	j->places = fair_share_new(MAX_JOBS);
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->more, NULL);
	pthread_cond_init(&j->room, NULL);
	unwind_queue_init(&j->todo);
	unwind_queue_init(&j->done);
	*ret_jobs = j;
	return 0;
}

void unwind_jobs_free(struct unwind_jobs *j)
{
	struct unwind_job *job;

	if (!j)
		return;
	threads_end(j);
	while ((job = unwind_queue_take(&j->todo)) || (job = unwind_queue_take(&j->done)))
		unwind_job_free(job);
	pthread_cond_destroy(&j->more);
	pthread_cond_destroy(&j->room);
	pthread_mutex_destroy(&j->lock);
	close(j->done_fd);
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
	if (!j->nr_builders) {
		j->is_urgent = worker_pool_is_urgent(j->pool);
		while (j->nr_builders < NR_BUILDERS &&
		       !pthread_create(&j->builders[j->nr_builders], NULL, work, j))
			j->nr_builders++;
	}
	return fair_share_ask(j->places, owner, 1) < 0 || !j->nr_builders;
}

void unwind_jobs_add(struct unwind_jobs *j, const struct asked_mapping *asked, uint32_t id, int fd,
		     struct process_root *root)
{
	struct unwind_job *job = xcalloc(1, sizeof(*job));

	job->ev = *asked->ev;
	job->id = id;
	job->owner = asked->owner;
	job->fd = fd;
	job->root = root;
	job->copy.fd = -1;
	j->nr++;
	fair_share_take(j->places, job->owner, 1);
	pthread_mutex_lock(&j->lock);
	unwind_queue_put(&j->todo, job);
	pthread_cond_signal(&j->more);
	pthread_mutex_unlock(&j->lock);
}

struct unwind_job *unwind_jobs_take(struct unwind_jobs *j)
{
	struct unwind_job *job;
	uint64_t count;

	pthread_mutex_lock(&j->lock);
	job = unwind_queue_take(&j->done);
	if (job && job->is_early) {
		j->nr_early--;
		pthread_cond_signal(&j->room);
	}
	if (!job && read(j->done_fd, &count, sizeof(count)) < 0)
		count = 0; /* nobody wrote since */
	pthread_mutex_unlock(&j->lock);
	if (job && !job->is_early) {
		j->nr--;
		fair_share_give(j->places, job->owner, 1);
	}
	return job;
}

size_t unwind_jobs_nr(const struct unwind_jobs *j)
{
	return j->nr;
}

int unwind_jobs_fd(const struct unwind_jobs *j)
{
	return j->done_fd;
}
