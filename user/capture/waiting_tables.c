// SPDX-License-Identifier: GPL-2.0-or-later
/* A queue with a bound on what its tables take. */
#include "capture/waiting_tables.h"

#include "capture/unwind_maps.h"

#define REST_NS (UNWIND_MAPS_REST_SECONDS * 1100000000ull)

static uint64_t table_bytes(const struct unwind_table *table)
{
	return table ? table->nr_rows * sizeof(*table->row) : 0;
}

void waiting_tables_init(struct waiting_tables *w, uint64_t max_bytes)
{
	*w = (struct waiting_tables){ .max_bytes = max_bytes };
	unwind_queue_init(&w->jobs);
}

void waiting_tables_deinit(struct waiting_tables *w)
{
	struct unwind_job *job;

	while ((job = unwind_queue_take(&w->jobs)))
		unwind_job_free(job);
}

bool waiting_tables_put(struct waiting_tables *w, struct unwind_job *job, uint64_t now_ns)
{
	uint64_t bytes = table_bytes(job->table);

	if (bytes > w->max_bytes - w->bytes)
		return false;
	job->retry_at_ns = now_ns + REST_NS;
	w->bytes += bytes;
	unwind_queue_put(&w->jobs, job);
	return true;
}

struct unwind_job *waiting_tables_take(struct waiting_tables *w, uint64_t now_ns)
{
	struct unwind_job *job;

	if (!w->jobs.head || w->jobs.head->retry_at_ns > now_ns)
		return NULL;
	job = unwind_queue_take(&w->jobs);
	w->bytes -= table_bytes(job->table);
	return job;
}
