// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes of reading a file: it is told of, and its table goes into the maps. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/file_key.h"
#include "capture/unwind_loader_parts.h"
#include "util/cleanup.h"
#include "util/mem.h"

/* Tells of a file, before any frame names it. */
static void job_tell(struct unwind_loader *l, struct unwind_job *job)
{
	_cleanup_free_ char *link = xasprintf("/proc/self/fd/%d", job->fd);
	const struct eddy_unwind_key *key = &job->ev.key;
	char path[4096] = "";
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	refused_files_remove(l->refused, key);
	unwind_loader_own_file(l, key, job->copy.stat.uid);
	unwind_loader_tell_file(l, job->id,
				&(struct met_file){ job->fd, &job->copy.stat, path, job->root });
	close(take_fd(&job->fd));
	process_root_unref(take_ptr(job->root));
	file_watch_put(l->watch, key, job->copy.queue, job->copy.watch);
	file_twins_add(&l->twins, key, &job->copy.stat);
}

/* Those for which there is no place even to wait: the next sample asks again. */
static void forget_left(struct unwind_loader *l)
{
	struct unwind_job *job;

	while ((job = waiting_tables_take_left(&l->waiting))) {
		l->limits.nr[LIMIT_WAITING]++;
		if (file_numbers_has(l->files, &job->ev.key, job->id))
			unwind_maps_forget(l->maps, &job->ev.key);
		unwind_job_free(job);
	}
}

/* Puts a table into the maps, or among those that wait for room there; consumes the job. */
static void job_finish(struct unwind_loader *l, struct unwind_job *job)
{
	int r;

	if (!file_numbers_has(l->files, &job->ev.key, job->id)) {
		unwind_job_free(job); /* forgotten meanwhile */
		return;
	}
	r = unwind_maps_add(l->maps, &job->ev.key, job->id, job->table);
	if (r == -ENOSPC) {
		waiting_tables_put(&l->waiting, job, clock_ns(CLOCK_MONOTONIC));
		forget_left(l);
		return;
	}
	if (r < 0)
		unwind_maps_forget(l->maps, &job->ev.key);
	unwind_job_free(job);
}

void unwind_loader_retry(struct unwind_loader *l)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct unwind_job *job;

	while ((job = waiting_tables_take(&l->waiting, now)))
		job_finish(l, job);
}

/*
 * A file that nobody asked for; if somebody has since, it is on its way.  It is no reason for
 * others to make way: without room the first sample asks for it.
 */
static void early_take(struct unwind_loader *l, struct unwind_job *job)
{
	bool is_new;

	job->id = file_numbers_get(l->files, &job->ev.key, unwind_loader_now_s(), &is_new);
	if (!is_new || !job->id) {
		unwind_job_free(job);
		return;
	}
	l->nr_preloaded++;
	l->nr_refused += job->is_unparsed;
	job_tell(l, job);
	if (!job->table || unwind_maps_have_room(l->maps, job->table))
		unwind_maps_add(l->maps, &job->ev.key, job->id, job->table);
	unwind_job_free(job);
}

void unwind_loader_take_opened(struct unwind_loader *l, struct unwind_job *job)
{
	const struct eddy_file_event *ev = &job->ev;
	bool is_new;

	if (job->err) {
		unwind_loader_file_is_missing(l, &ev->key, job->err);
		unwind_job_free(job);
		return;
	}
	job->id = file_numbers_get(l->files, &ev->key, unwind_loader_now_s(), &is_new);
	if (!file_key_has_inode(&ev->shown, &ev->key))
		file_aliases_add(l->aliases, &ev->shown, &ev->key);
	if (job->id) {
		unwind_jobs_build(l->jobs, job);
		return;
	}
	/* No number is left: without a table, until there may be one again. */
	refused_files_add(l->refused, &ev->key, false, clock_ns(CLOCK_MONOTONIC));
	unwind_maps_add(l->maps, &ev->key, 0, NULL);
	unwind_job_free(job);
}

/* A job that is through, or half of it. */
static void job_take(struct unwind_loader *l, struct unwind_job *job)
{
	if (job->is_early) {
		early_take(l, job);
		return;
	}
	if (job->is_opened) {
		unwind_loader_take_opened(l, job);
		return;
	}
	if (!file_numbers_has(l->files, &job->ev.key, job->id)) {
		unwind_job_free(job); /* forgotten meanwhile */
		return;
	}
	if (job->err) {
		unwind_loader_file_is_missing(l, &job->ev.key, job->err);
		unwind_job_free(job);
		return;
	}
	l->nr_refused += job->is_unparsed;
	job_tell(l, job);
	job_finish(l, job);
}

void unwind_loader_take_jobs(struct unwind_loader *l)
{
	struct unwind_job *job;

	while ((job = unwind_jobs_take(l->jobs)))
		job_take(l, job);
}
