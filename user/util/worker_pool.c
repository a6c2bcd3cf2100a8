// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A worker has one job at a time, so what comes out of its socket is the answer to the last one; of
 * a stuck worker it is too late and thrown away.
 */
#include "util/worker_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/mem.h"
#include "util/priority.h"
#include "util/sched_time.h"
#include "util/worker_process.h"
#include "util/worker_wire.h"

#define MAX_WORKERS	64
#define MAX_STUCK	56 /* the rest is for those who answer */
#define MAX_GROUP_STUCK 4  /* files of a device */
#define MAX_OWNER_STUCK 8  /* on account of a user */
#define MAX_ROOTS_STUCK 32 /* on account of root and the system's */
#define PATIENCE_NS	300000000ull
#define MIN_PATIENCE_NS 10000000ull
#define BUSY_FACTOR	10 /* of patience, on a machine whose CPUs are busy */
#define FORGIVE_NS	10000000000ull
#define MAX_ERRNO	4095

struct worker {
	int fd; /* -1: no worker */
	pid_t pid;
	bool is_busy, is_stuck;
	struct worker_key key; /* of its job */
};

struct worker_pool {
	int parent;
	pid_t parent_pid;
	pthread_mutex_t lock; /* guards what follows */
	bool is_urgent;
	struct worker workers[MAX_WORKERS];
	uint64_t max_patience_ns, patience_ns;
	uint64_t changed_ns; /* when that was */
	struct worker_pool_stats stats;
};

void worker_answer_deinit(struct worker_answer *a)
{
	if (a->fd >= 0)
		close(a->fd);
	free(a->bytes);
	*a = (struct worker_answer){ .fd = -1 };
}

int worker_answer_error(const struct worker_answer *a)
{
	if (a->status >= 0)
		return 0;
	return a->status < -MAX_ERRNO ? -EPIPE : (int)a->status;
}

int worker_pool_new(struct worker_pool **ret_pool)
{
	struct worker_pool *p = xcalloc(1, sizeof(*p));

	p->parent = worker_parent_start(&p->parent_pid);
	if (p->parent < 0) {
		int r = p->parent;

		free(p);
		return r;
	}
	pthread_mutex_init(&p->lock, NULL);
	p->patience_ns = p->max_patience_ns = PATIENCE_NS;
	for (size_t i = 0; i < MAX_WORKERS; i++)
		p->workers[i].fd = -1;
	*ret_pool = p;
	return 0;
}

/* Those that are made meanwhile are as their parent, who may be so from the beginning. */
void worker_pool_hurry(struct worker_pool *p, bool is_urgent)
{
	if (!p || is_urgent == p->is_urgent)
		return;
	pthread_mutex_lock(&p->lock);
	p->is_urgent = is_urgent;
	priority_lend(p->parent_pid, is_urgent);
	for (size_t i = 0; i < MAX_WORKERS; i++)
		if (p->workers[i].fd >= 0)
			priority_lend(p->workers[i].pid, is_urgent);
	pthread_mutex_unlock(&p->lock);
}

void worker_pool_set_patience(struct worker_pool *p, uint64_t ns)
{
	p->patience_ns = p->max_patience_ns = ns;
}

void worker_pool_free(struct worker_pool *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < MAX_WORKERS; i++)
		if (p->workers[i].fd >= 0)
			close(p->workers[i].fd);
	close(p->parent);
	waitpid(p->parent_pid, NULL, 0); /* it waits for nothing either */
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* ---- answers ------------------------------------------------------------------------------ */

/* Bytes that are too long for a message. */
static bool bytes_read(int fd, struct worker_answer *to, size_t len)
{
	to->bytes = xmalloc(len);
	while (to->len < len) {
		ssize_t n = pread(fd, to->bytes + to->len, len - to->len, to->len);

		if (n <= 0)
			return false;
		to->len += n;
	}
	return true;
}

/* A message as an answer; false when it is none. */
static bool answer_parse(const char *message, size_t len, int *fd, struct worker_answer *to)
{
	struct worker_answer_head head;

	if (len < sizeof(head))
		return false;
	memcpy(&head, message, sizeof(head));
	len -= sizeof(head);
	to->cpu_ns = head.cpu_ns;
	to->status = head.status;
	if (!head.is_inline)
		return !len && *fd >= 0 && head.len <= WORKER_MAX_ANSWER &&
		       fcntl(*fd, F_GET_SEALS) >= 0 && bytes_read(*fd, to, head.len);
	if (head.len != len)
		return false;
	to->fd = take_fd(fd);
	to->len = len;
	if (len) {
		to->bytes = xmalloc(len);
		memcpy(to->bytes, message + sizeof(head), len);
	}
	return true;
}

/* Takes an answer that is there; 0 or -EPIPE. */
static int answer_take(int socket, struct worker_answer *ret_answer)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	const size_t most = sizeof(struct worker_answer_head) + WORKER_MAX_INLINE;
	_cleanup_free_ char *message = xmalloc(most);
	int fds[WIRE_MAX_FDS];
	ssize_t n = wire_receive(socket, message, most, fds, false);
	bool is_fine = n > 0 && answer_parse(message, n, &fds[0], &a);

	for (size_t i = 0; i < WIRE_MAX_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (!is_fine)
		return -EPIPE;
	*ret_answer = a;
	a = (struct worker_answer){ .fd = -1 };
	return 0;
}

/* ---- workers ------------------------------------------------------------------------------ */

static bool is_readable(int fd, uint64_t patience_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + patience_ns, now;
	int r;

	do {
		now = clock_ns(CLOCK_MONOTONIC);
		r = poll(&p, 1, now < until ? (int)((until - now + 999999) / 1000000) : 0);
	} while (r < 0 && errno == EINTR);
	return r > 0;
}

/*
 * It has not answered in time: because it did not get a CPU?  Then that time is not counted, up to
 * BUSY_FACTOR; what it needs of a CPU may be as long again as what it was given.
 */
static bool is_only_late(const struct worker *w, uint64_t patience_ns)
{
	const uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (BUSY_FACTOR - 1) * patience_ns;
	const uint64_t step_ns = patience_ns / 8;
	struct sched_time first, before, now;
	uint64_t step_took_ns;

	if (!sched_time_read(w->pid, &first))
		return false;
	now = first;
	do {
		before = now;
		step_took_ns = clock_ns(CLOCK_MONOTONIC);
		if (is_readable(w->fd, step_ns))
			return true;
		if (!sched_time_read(w->pid, &now))
			return false;
		step_took_ns = clock_ns(CLOCK_MONOTONIC) - step_took_ns;
		if (!now.is_runnable &&
		    2 * (now.waited_ns - before.waited_ns + now.ran_ns - before.ran_ns) <
			    step_took_ns)
			return false; /* it sleeps */
	} while (now.ran_ns - first.ran_ns < patience_ns && clock_ns(CLOCK_MONOTONIC) < end_ns);
	return false;
}

static void worker_drop(struct worker_pool *p, struct worker *w)
{
	close(w->fd);
	*w = (struct worker){ .fd = -1 };
	p->stats.nr_died++;
}

/* Those that have come back since are of use again. */
static void stuck_look(struct worker_pool *p)
{
	for (size_t i = 0; i < MAX_WORKERS; i++) {
		struct worker *w = &p->workers[i];
		struct worker_answer late = { .fd = -1 };

		if (w->fd < 0 || !w->is_stuck || !is_readable(w->fd, 0))
			continue;
		if (answer_take(w->fd, &late) < 0) {
			worker_drop(p, w);
			continue;
		}
		p->stats.cpu_ns += late.cpu_ns;
		worker_answer_deinit(&late);
		w->is_stuck = false;
	}
}

static owner_id owner_get(const struct worker_key *key)
{
	return key->pid ? owner_of_process(key->pid) : key->owner;
}

static bool is_share_used_up(const struct worker_pool *p, owner_id owner)
{
	size_t nr = 0;

	for (size_t i = 0; i < MAX_WORKERS; i++) {
		const struct worker *w = &p->workers[i];

		nr += w->fd >= 0 && w->is_stuck && w->key.owner == owner;
	}
	return nr >= (owner == OWNER_SYSTEM ? MAX_ROOTS_STUCK : MAX_OWNER_STUCK);
}

static bool is_refused(const struct worker_pool *p, const struct worker_key *key)
{
	size_t nr_stuck = 0, nr_group = 0;

	for (size_t i = 0; i < MAX_WORKERS; i++) {
		const struct worker *w = &p->workers[i];

		if (w->fd < 0 || !w->is_stuck)
			continue;
		nr_stuck++;
		if (!key->group || w->key.group != key->group)
			continue;
		if (w->key.member == key->member || ++nr_group == MAX_GROUP_STUCK)
			return true;
	}
	if (nr_stuck < MAX_OWNER_STUCK)
		return false;
	return nr_stuck >= MAX_STUCK || is_share_used_up(p, owner_get(key));
}

/* One that waits for work, or a new one; NULL. */
static struct worker *worker_find(struct worker_pool *p)
{
	struct worker *none = NULL;

	for (size_t i = 0; i < MAX_WORKERS; i++) {
		struct worker *w = &p->workers[i];

		if (w->fd >= 0 && !w->is_busy && !w->is_stuck)
			return w;
		if (w->fd < 0 && !none)
			none = w;
	}
	if (!none)
		return NULL;
	none->fd = worker_parent_fork(p->parent, &none->pid);
	if (none->fd < 0) {
		none->fd = -1;
		return NULL;
	}
	return none;
}

static void patience_set(struct worker_pool *p, uint64_t ns, uint64_t now)
{
	p->changed_ns = now;
	if (ns < MIN_PATIENCE_NS)
		ns = MIN_PATIENCE_NS;
	p->patience_ns = ns < p->max_patience_ns ? ns : p->max_patience_ns;
}

/* A worker for the job, which is his from now on; NULL and *ret_err. */
static struct worker *worker_take(struct worker_pool *p, const struct worker_job *job,
				  uint64_t *ret_patience_ns, int *ret_err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct worker *w = NULL;

	pthread_mutex_lock(&p->lock);
	stuck_look(p);
	if (now - p->changed_ns > FORGIVE_NS)
		patience_set(p, 2 * p->patience_ns, now);
	*ret_patience_ns = p->patience_ns;
	if (job->patience_ns && (job->is_computing || job->patience_ns < p->patience_ns))
		*ret_patience_ns = job->patience_ns;
	if (job->key.patience_ns && job->key.patience_ns < *ret_patience_ns)
		*ret_patience_ns = job->key.patience_ns;
	*ret_err = -EBUSY;
	if (!is_refused(p, &job->key)) {
		*ret_err = -EAGAIN;
		w = worker_find(p);
	}
	if (w) {
		w->is_busy = true;
		w->key = job->key;
	} else {
		p->stats.nr_refused++;
	}
	pthread_mutex_unlock(&p->lock);
	return w;
}

/* The job is over, or will not be for long. */
static void worker_return(struct worker_pool *p, struct worker *w, const struct worker_job *job,
			  uint64_t cpu_ns, int err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	pthread_mutex_lock(&p->lock);
	w->is_busy = false;
	if (err == -EPIPE)
		worker_drop(p, w);
	else if (!err)
		p->stats.cpu_ns += cpu_ns;
	if (err == -ETIMEDOUT) {
		w->is_stuck = true;
		w->key.owner = owner_get(&w->key);
		p->stats.nr_stalled += !job->is_computing;
		if (!job->is_computing && !job->key.patience_ns) /* it was the pool's */
			patience_set(p, p->patience_ns / 2, now);
	}
	pthread_mutex_unlock(&p->lock);
}

static int run_here(const struct worker_job *job, struct worker_answer *ret_answer)
{
	struct worker_request request = { .bytes = job->bytes, .len = job->len, .fds = { -1, -1 } };

	for (size_t i = 0; i < WIRE_MAX_FDS && job->fds; i++)
		if (job->fds[i] >= 0)
			request.fds[i] = fcntl(job->fds[i], F_DUPFD_CLOEXEC, 0);
	*ret_answer = (struct worker_answer){ .fd = -1 };
	job->fn(&request, ret_answer);
	for (size_t i = 0; i < WIRE_MAX_FDS; i++)
		if (request.fds[i] >= 0)
			close(request.fds[i]);
	return 0;
}

bool worker_pool_is_urgent(struct worker_pool *p)
{
	bool answer;

	if (!p)
		return false;
	pthread_mutex_lock(&p->lock);
	answer = p->is_urgent;
	pthread_mutex_unlock(&p->lock);
	return answer;
}

int worker_pool_run(struct worker_pool *p, const struct worker_job *job,
		    struct worker_answer *ret_answer)
{
	const struct worker_request_head head = { .fn = job->fn,
						  .len = job->len,
						  .is_urgent = worker_pool_is_urgent(p) };
	uint64_t patience_ns;
	struct worker *w;
	int r;

	if (!p)
		return run_here(job, ret_answer);
	if (job->len > WORKER_MAX_REQUEST)
		return -E2BIG;
	w = worker_take(p, job, &patience_ns, &r);
	if (!w)
		return r;
	if (wire_send(w->fd, &head, sizeof(head), job->bytes, job->len, job->fds, false) < 0)
		r = -EPIPE;
	else if (!is_readable(w->fd, patience_ns) &&
		 ((job->is_computing && !job->waits_for_cpu) || !is_only_late(w, patience_ns)))
		r = -ETIMEDOUT;
	else
		r = answer_take(w->fd, ret_answer);
	worker_return(p, w, job, r ? 0 : ret_answer->cpu_ns, r);
	return r;
}

void worker_pool_get_stats(struct worker_pool *p, struct worker_pool_stats *ret_stats)
{
	*ret_stats = (struct worker_pool_stats){ 0 };
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	stuck_look(p);
	*ret_stats = p->stats;
	for (size_t i = 0; i < MAX_WORKERS; i++) {
		ret_stats->nr_workers += p->workers[i].fd >= 0;
		ret_stats->nr_stuck += p->workers[i].fd >= 0 && p->workers[i].is_stuck;
	}
	pthread_mutex_unlock(&p->lock);
}

void worker_pool_stats_since(struct worker_pool_stats *now, const struct worker_pool_stats *before)
{
	now->nr_stalled -= before->nr_stalled;
	now->nr_refused -= before->nr_refused;
	now->nr_died -= before->nr_died;
	now->cpu_ns -= before->cpu_ns;
}
