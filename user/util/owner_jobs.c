// SPDX-License-Identifier: GPL-2.0-or-later
/* Two queues under one lock: of jobs to do, which are few, and of jobs that are done. */
#include "util/owner_jobs.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/mem.h"
#include "util/priority.h"

#define MAX_TIMES    64
#define HALF_LIFE_NS 10000000000ull
#define LEAST_NS     1000000ull /* of time that is remembered */

#define MAX_SLOW     64
#define SLOW_NS	     20000000ull
#define SLOW_CPU_NS  5000000ull
#define SLOW_FOR_NS  10000000000ull
#define SLOW_TIME_NS (HALF_LIFE_NS / 10) /* lately: of what takes a twentieth all the time */

/* What of the time an owner had lately. */
struct time_of {
	owner_id owner;
	uint64_t ns;
};

struct slow_owner {
	owner_id owner;
	uint64_t until_ns;
};

/* First in, first out. */
struct job_queue {
	struct owner_job *head, **tail;
};

struct owner_jobs {
	struct owner_jobs_opts opts;
	int done_fd; /* eventfd: something is in `done` */
	pthread_t threads[OWNER_JOBS_MAX_THREADS];
	unsigned int nr_threads; /* that were made */
	bool is_urgent;		 /* so was who made the threads, and they began like that */
	pthread_mutex_t lock;	 /* guards what follows */
	pthread_cond_t more;
	struct job_queue todo, done;
	owner_id served[OWNER_JOBS_MAX_THREADS]; /* whose jobs are done now */
	unsigned int nr_served;
	struct time_of times[MAX_TIMES];
	size_t nr_times;
	uint64_t halved_ns; /* when all times were */
	struct slow_owner slow[MAX_SLOW];
	bool stop;
};

static void queue_put(struct job_queue *q, struct owner_job *job)
{
	job->next = NULL;
	*q->tail = job;
	q->tail = &job->next;
}

/* The job at that place of the queue; NULL: there is none. */
static struct owner_job *queue_take(struct job_queue *q, struct owner_job **at)
{
	struct owner_job *job = *at;

	if (!job)
		return NULL;
	*at = job->next;
	if (!*at)
		q->tail = at;
	return job;
}

/* ---- whose turn it is --------------------------------------------------------------------- */

static struct time_of *time_find(struct owner_jobs *j, owner_id owner)
{
	for (size_t i = 0; i < j->nr_times; i++)
		if (j->times[i].owner == owner)
			return &j->times[i];
	return NULL;
}

/* Times of long ago are forgotten, and when there are too many, those who had least. */
static void times_halve(struct owner_jobs *j, uint64_t now_ns)
{
	size_t out = 0;

	j->halved_ns = now_ns;
	for (size_t i = 0; i < j->nr_times; i++) {
		j->times[out] = j->times[i];
		j->times[out].ns /= 2;
		out += j->times[out].ns > LEAST_NS;
	}
	j->nr_times = out;
}

/* He is slow from now on; of too many, the one who has been for longest is no more. */
static void slow_note(struct owner_jobs *j, owner_id owner, uint64_t now_ns)
{
	struct slow_owner *to = &j->slow[0];

	for (size_t i = 0; i < MAX_SLOW && to->owner != owner; i++)
		if (j->slow[i].owner == owner || j->slow[i].until_ns < to->until_ns)
			to = &j->slow[i];
	*to = (struct slow_owner){ .owner = owner, .until_ns = now_ns + SLOW_FOR_NS };
}

static bool is_slow(struct owner_jobs *j, owner_id owner)
{
	const struct time_of *t = time_find(j, owner);

	if (owner == OWNER_SYSTEM)
		return false;
	for (size_t i = 0; i < MAX_SLOW; i++)
		if (j->slow[i].owner == owner && clock_ns(CLOCK_MONOTONIC) < j->slow[i].until_ns)
			return true;
	return t && t->ns > SLOW_TIME_NS;
}

static void time_note(struct owner_jobs *j, owner_id owner, uint64_t ns, uint64_t cpu_ns)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct time_of *t;

	if (ns >= SLOW_NS || cpu_ns >= SLOW_CPU_NS)
		slow_note(j, owner, now_ns);

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

static bool is_served(const struct owner_jobs *j, owner_id owner)
{
	for (unsigned int i = 0; i < j->nr_served; i++)
		if (j->served[i] == owner)
			return true;
	return false;
}

static void served_remove(struct owner_jobs *j, owner_id owner)
{
	for (unsigned int i = 0; i < j->nr_served; i++)
		if (j->served[i] == owner) {
			j->served[i] = j->served[--j->nr_served];
			return;
		}
}

/*
 * The first job of the owner who had least of the time lately, of those who have none done now;
 * NULL: there is none.
 */
static struct owner_job *next_job(struct owner_jobs *j)
{
	struct owner_job **best = NULL;
	uint64_t least = UINT64_MAX;

	for (struct owner_job **at = &j->todo.head; *at; at = &(*at)->next) {
		const struct time_of *t = time_find(j, (*at)->owner);
		uint64_t ns = t ? t->ns : 0;

		if (ns >= least || is_served(j, (*at)->owner))
			continue;
		least = ns;
		best = at;
	}
	return best ? queue_take(&j->todo, best) : NULL;
}

/* ---- threads ------------------------------------------------------------------------------ */

static void job_done(struct owner_jobs *j, struct owner_job *job)
{
	owner_jobs_add_done(j->opts.done_in ? j->opts.done_in : j, job);
}

/* Without the lock. */
static void job_run(struct owner_jobs *j, struct owner_job *job, bool at_once)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	j->opts.run(j->opts.ctx, job, at_once);
	pthread_mutex_lock(&j->lock);
	time_note(j, job->owner, clock_ns(CLOCK_MONOTONIC) - start_ns, job->cpu_ns);
	pthread_mutex_unlock(&j->lock);
}

static void *work(void *arg)
{
	struct owner_jobs *j = arg;
	bool is_urgent = j->is_urgent;

	pthread_mutex_lock(&j->lock);
	while (!j->stop) {
		struct owner_job *job = next_job(j);
		const owner_id owner = job ? job->owner : 0;

		if (!job) {
			pthread_cond_wait(&j->more, &j->lock);
			continue;
		}
		j->served[j->nr_served++] = owner;
		pthread_mutex_unlock(&j->lock);
		if (is_urgent && !worker_pool_is_urgent(j->opts.pool)) {
			is_urgent = false;
			priority_relax();
		}
		job_run(j, job, false);
		job_done(j, job);
		pthread_mutex_lock(&j->lock);
		served_remove(j, owner);
	}
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

static void threads_begin(struct owner_jobs *j)
{
	j->is_urgent = j->opts.pool && worker_pool_is_urgent(j->opts.pool);
	while (j->nr_threads < j->opts.nr_threads &&
	       !pthread_create(&j->threads[j->nr_threads], NULL, work, j))
		j->nr_threads++;
}

static void threads_end(struct owner_jobs *j)
{
	pthread_mutex_lock(&j->lock);
	j->stop = true;
	pthread_cond_broadcast(&j->more);
	pthread_mutex_unlock(&j->lock);
	for (unsigned int i = 0; i < j->nr_threads; i++)
		pthread_join(j->threads[i], NULL);
}

/* ---- life --------------------------------------------------------------------------------- */

int owner_jobs_new(const struct owner_jobs_opts *opts, struct owner_jobs **ret_jobs)
{
	int done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct owner_jobs *j;

	if (done_fd < 0)
		return -errno;
	j = xcalloc(1, sizeof(*j));
	j->opts = *opts;
	if (j->opts.nr_threads > OWNER_JOBS_MAX_THREADS)
		j->opts.nr_threads = OWNER_JOBS_MAX_THREADS;
	j->done_fd = done_fd;
	j->todo.tail = &j->todo.head;
	j->done.tail = &j->done.head;
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->more, NULL);
	*ret_jobs = j;
	return 0;
}

void owner_jobs_free(struct owner_jobs *j)
{
	struct owner_job *job;

	if (!j)
		return;
	threads_end(j);
	while ((job = queue_take(&j->todo, &j->todo.head)) ||
	       (job = queue_take(&j->done, &j->done.head)))
		j->opts.drop(job);
	pthread_cond_destroy(&j->more);
	pthread_mutex_destroy(&j->lock);
	close(j->done_fd);
	free(j);
}

/* ---- who gives them out ------------------------------------------------------------------- */

void owner_jobs_add(struct owner_jobs *j, struct owner_job *job)
{
	if (!j->nr_threads)
		threads_begin(j);
	if (!j->nr_threads) {
		job_run(j, job, true);
		job_done(j, job);
		return;
	}
	pthread_mutex_lock(&j->lock);
	queue_put(&j->todo, job);
	pthread_cond_signal(&j->more);
	pthread_mutex_unlock(&j->lock);
}

bool owner_jobs_add_pressing(struct owner_jobs *j, struct owner_job *job)
{
	bool at_once;

	pthread_mutex_lock(&j->lock);
	at_once = !is_slow(j, job->owner);
	pthread_mutex_unlock(&j->lock);
	if (at_once)
		job_run(j, job, true);
	else
		owner_jobs_add(j, job);
	return at_once;
}

void owner_jobs_add_done(struct owner_jobs *j, struct owner_job *job)
{
	pthread_mutex_lock(&j->lock);
	queue_put(&j->done, job);
	owner_jobs_tell(j);
	pthread_mutex_unlock(&j->lock);
}

struct owner_job *owner_jobs_take(struct owner_jobs *j)
{
	struct owner_job *job;
	eventfd_t count;

	pthread_mutex_lock(&j->lock);
	job = queue_take(&j->done, &j->done.head);
	if (!job)
		eventfd_read(j->done_fd, &count);
	pthread_mutex_unlock(&j->lock);
	return job;
}

int owner_jobs_fd(const struct owner_jobs *j)
{
	return j->done_fd;
}

/* A counter that is full is readable all the same. */
void owner_jobs_tell(struct owner_jobs *j)
{
	eventfd_write(j->done_fd, 1);
}
