// SPDX-License-Identifier: GPL-2.0-or-later
/* A queue with a bound on what its tables take. */
#include "capture/waiting_tables.h"

#include "capture/unwind_maps.h"

#define REST_NS (UNWIND_MAPS_REST_SECONDS * 1100000000ull)

static void queue_init(struct unwind_queue *q)
{
	q->head = NULL;
	q->tail = &q->head;
}

static void queue_put(struct unwind_queue *q, struct unwind_job *job)
{
	job->next = NULL;
	*q->tail = job;
	q->tail = &job->next;
}

static struct unwind_job *queue_take(struct unwind_queue *q)
{
	struct unwind_job *job = q->head;

	if (job) {
		q->head = job->next;
		if (!q->head)
			q->tail = &q->head;
	}
	return job;
}

static uint64_t job_bytes(const struct unwind_job *job)
{
	return job->table ? job->table->nr_rows * sizeof(*job->table->row) : 0;
}

static owner_id job_owner(const struct unwind_job *job)
{
	return job->table ? job->table->owner : job->job.owner;
}

void waiting_tables_init(struct waiting_tables *w, uint64_t max_bytes)
{
	*w = (struct waiting_tables){ .bytes = fair_share_new(max_bytes) };
	queue_init(&w->jobs);
	queue_init(&w->left);
}

void waiting_tables_deinit(struct waiting_tables *w)
{
	struct unwind_job *job;

	while ((job = queue_take(&w->jobs)) || (job = queue_take(&w->left)))
		unwind_job_free(job);
	fair_share_free(w->bytes);
}

/* The last that came of an owner leaves; he has one. */
static void owner_leave(struct waiting_tables *w, owner_id owner)
{
	struct unwind_job **last = NULL, *job;

	for (struct unwind_job **at = &w->jobs.head; *at; at = &(*at)->next)
		if (job_owner(*at) == owner && job_bytes(*at))
			last = at;
	job = *last;
	*last = job->next;
	if (w->jobs.tail == &job->next)
		w->jobs.tail = last;
	fair_share_give(w->bytes, owner, job_bytes(job));
	queue_put(&w->left, job);
}

void waiting_tables_put(struct waiting_tables *w, struct unwind_job *job, uint64_t now_ns)
{
	owner_id owner = job_owner(job), from;

	job->retry_at_ns = now_ns + REST_NS;
	queue_put(&w->jobs, job);
	fair_share_charge(w->bytes, owner, job_bytes(job));
	while (fair_share_used(w->bytes) > fair_share_total(w->bytes) &&
	       fair_share_greediest(w->bytes, owner, &from))
		owner_leave(w, from);
}

struct unwind_job *waiting_tables_take(struct waiting_tables *w, uint64_t now_ns)
{
	struct unwind_job *job;

	if (!w->jobs.head || w->jobs.head->retry_at_ns > now_ns)
		return NULL;
	job = queue_take(&w->jobs);
	fair_share_give(w->bytes, job_owner(job), job_bytes(job));
	return job;
}

struct unwind_job *waiting_tables_take_left(struct waiting_tables *w)
{
	return queue_take(&w->left);
}
