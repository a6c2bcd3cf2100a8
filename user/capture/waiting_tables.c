// SPDX-License-Identifier: GPL-2.0-or-later
/* A queue with a bound on what its tables take. */
#include "capture/waiting_tables.h"

#include "capture/unwind_maps.h"

#define REST_NS (UNWIND_MAPS_REST_SECONDS * 1100000000ull)

static uint64_t job_bytes(const struct unwind_job *job)
{
	return job->table ? job->table->nr_rows * sizeof(*job->table->row) : 0;
}

static owner_id job_owner(const struct unwind_job *job)
{
	return job->table ? job->table->owner : job->owner;
}

void waiting_tables_init(struct waiting_tables *w, uint64_t max_bytes)
{
	*w = (struct waiting_tables){ .bytes = fair_share_new(max_bytes) };
	unwind_queue_init(&w->jobs);
	unwind_queue_init(&w->left);
}

void waiting_tables_deinit(struct waiting_tables *w)
{
	struct unwind_job *job;

	while ((job = unwind_queue_take(&w->jobs)) || (job = unwind_queue_take(&w->left)))
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
	unwind_queue_put(&w->left, job);
}

void waiting_tables_put(struct waiting_tables *w, struct unwind_job *job, uint64_t now_ns)
{
	owner_id owner = job_owner(job), from;

	job->retry_at_ns = now_ns + REST_NS;
	unwind_queue_put(&w->jobs, job);
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
	job = unwind_queue_take(&w->jobs);
	fair_share_give(w->bytes, job_owner(job), job_bytes(job));
	return job;
}

struct unwind_job *waiting_tables_take_left(struct waiting_tables *w)
{
	return unwind_queue_take(&w->left);
}
