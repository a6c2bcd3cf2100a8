// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files are named as the kernel names them: device, inode and generation, the first two of which
 * /proc/PID/maps prints from the same fields that the sampler reads; where it prints others
 * (overlayfs), the sampler's request says which.
 */
#include "capture/unwind_loader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/file_key.h"
#include "capture/unwind_loader_parts.h"
#include "capture/vdso.h"
#include "unwind_arch.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/owner.h"

/* ---- files -------------------------------------------------------------------------------- */

static void file_forget(void *ctx, const struct eddy_unwind_key *key);
static bool file_was_used(void *ctx, const struct eddy_unwind_key *key);
static void file_release(void *ctx, uint32_t number);

static struct file_numbers_ops ops_of(struct unwind_loader *l)
{
	return (struct file_numbers_ops){
		.was_used = file_was_used,
		.forget = file_forget,
		.release = file_release,
		.ctx = l,
	};
}

void unwind_loader_own_file(struct unwind_loader *l, const struct eddy_unwind_key *key,
			    uint32_t uid)
{
	const struct file_numbers_ops ops = ops_of(l);

	l->limits.nr[LIMIT_FILES] += file_numbers_own(l->files, key, owner_of_uid(uid), &ops);
}

void unwind_loader_tell_file(struct unwind_loader *l, uint32_t id, const struct met_file *met)
{
	struct met_file told = *met;

	told.fd = fcntl(met->fd, F_DUPFD_CLOEXEC, 0);
	if (told.fd >= 0)
		l->opts.on_file(l->opts.ctx, id, &told);
}

/* ---- life --------------------------------------------------------------------------------- */

static void file_again(void *ctx, const struct eddy_unwind_key *key)
{
	const struct unwind_loader *l = ctx;

	unwind_maps_forget(l->maps, key);
}

int unwind_loader_new(const struct unwind_loader_opts *opts, struct unwind_loader **ret_loader,
		      struct diag *ret_diag)
{
	struct unwind_loader *l = xcalloc(1, sizeof(*l));
	int r;

	l->opts = *opts;
	l->files = file_numbers_new();
	l->watch = file_watch_new();
	l->aliases = file_aliases_new();
	l->refused = refused_files_new(file_again, l);
	waiting_tables_init(&l->waiting, opts->max_bytes);
	r = unwind_jobs_new(opts->pool, file_watch_fds(l->watch), &l->jobs);
	if (r < 0) {
		unwind_loader_free(l);
		return diag_set(ret_diag, -r, "eventfd: %s", strerror(-r));
	}
	unwind_jobs_begin_early(l->jobs, opts->is_to_end);
	*ret_loader = l;
	return 0;
}

void unwind_loader_free(struct unwind_loader *l)
{
	if (!l)
		return;
	unwind_jobs_free(l->jobs);
	waiting_tables_deinit(&l->waiting);
	unwind_maps_free(l->maps);
	file_numbers_free(l->files);
	file_watch_free(l->watch);
	file_aliases_free(l->aliases);
	refused_files_free(l->refused);
	file_twins_deinit(&l->twins);
	free(l);
}

/* ---- requests ----------------------------------------------------------------------------- */

static void count_failure(struct unwind_loader *l, int err)
{
	if (err == -ESRCH)
		l->nr_gone++;
	else if (worker_is_stalled(err))
		l->nr_stalled++;
	else if (err != -ENODEV)
		l->nr_refused++;
}

void unwind_loader_file_is_missing(struct unwind_loader *l, const struct eddy_unwind_key *key,
				   int err)
{
	bool is_new;

	count_failure(l, err);
	if (err == -ESRCH || (err != -ENODEV && !refused_files_add(l->refused, key, err == -ESTALE,
								   clock_ns(CLOCK_MONOTONIC))))
		unwind_maps_forget(l->maps, key);
	else
		unwind_maps_add(l->maps, key,
				file_numbers_get(l->files, key, unwind_loader_now_s(), &is_new),
				NULL);
}

void unwind_loader_request(struct unwind_loader *l, const struct eddy_file_event *ev)
{
	const owner_id owner = owner_of_process((pid_t)ev->pid);
	struct unwind_job *job;

	l->nr_requests++;
	file_numbers_meet(l->files, &ev->key);
	if (unwind_jobs_are_full(l->jobs, owner)) {
		l->limits.nr[LIMIT_PLACES]++;
		unwind_maps_forget(l->maps, &ev->key); /* the next sample asks again */
		return;
	}
	job = unwind_jobs_open(l->jobs, ev, owner);
	if (job)
		unwind_loader_take_opened(l, job);
}

int unwind_loader_poll_fd(const struct unwind_loader *l)
{
	return unwind_jobs_fd(l->jobs);
}

/* ---- the begin ---------------------------------------------------------------------------- */

/* The vdso is memory of every process; ours stands for all 64-bit ones. */
static void load_vdso(struct unwind_loader *l)
{
	const struct eddy_unwind_key key = { .ino = EDDY_VDSO_INO,
					     .dev = EDDY_VDSO_DEV,
					     .gen = EDDY_VDSO_GEN };
	_cleanup_(unwind_table_freep) struct unwind_table *table = NULL;
	_cleanup_close_ int fd = -1;
	struct far_stat stat;
	bool is_new;
	uint32_t id;

	if (!vdso_read(&table, &fd))
		return;
	id = file_numbers_get(l->files, &key, unwind_loader_now_s(), &is_new);
	unwind_maps_add(l->maps, &key, id, table);
	if (fd >= 0 && !far_stat_here(fd, &stat))
		unwind_loader_tell_file(l, id, &(struct met_file){ fd, &stat, "[vdso]", NULL });
}

int unwind_loader_use_maps(struct unwind_loader *l, const struct unwind_maps_fds *fds,
			   uint64_t wait_ns, struct diag *ret_diag)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC), spent = 0;
	struct pollfd done = { .fd = unwind_jobs_fd(l->jobs), .events = POLLIN };
	int r = unwind_maps_new(fds, l->opts.max_bytes, &l->maps, ret_diag);

	if (r < 0)
		return r;
	load_vdso(l);
	while (!unwind_jobs_early_is_over(l->jobs) && spent < wait_ns) {
		poll(&done, 1, (int)((wait_ns - spent) / 1000000) + 1);
		unwind_loader_take_jobs(l);
		spent = clock_ns(CLOCK_MONOTONIC) - start;
	}
	unwind_loader_take_jobs(l);
	unwind_maps_settle(l->maps);
	l->preload_ns = spent;
	return 0;
}

/* ---- what happens meanwhile --------------------------------------------------------------- */

/* A file was written again in place: what is known of it is asked for anew. */
static void file_changed(void *ctx, const struct eddy_unwind_key *key, bool is_seen)
{
	struct unwind_loader *l = ctx;

	file_numbers_renew(l->files, key);
	unwind_maps_forget(l->maps, key);
	unwind_maps_look_again(l->maps);
	l->nr_rewritten += is_seen;
	l->nr_unsure += !is_seen;
}

void unwind_loader_poll(struct unwind_loader *l)
{
	file_watch_poll(l->watch, unwind_loader_now_s(), file_changed, l);
	if (refused_files_poll(l->refused, clock_ns(CLOCK_MONOTONIC)))
		unwind_maps_look_again(l->maps);
	unwind_loader_retry(l);
	unwind_loader_take_jobs(l);
}

void unwind_loader_ask_again(struct unwind_loader *l, uint32_t file)
{
	const struct eddy_unwind_key *key = file_numbers_key(l->files, file);

	if (!key || !key->ino) /* the vdso, which is no file */
		return;
	unwind_maps_forget(l->maps, key);
	unwind_maps_look_again(l->maps);
}

static bool file_was_used(void *ctx, const struct eddy_unwind_key *key)
{
	struct unwind_loader *l = ctx;

	return unwind_maps_was_used(l->maps, key);
}

static void file_forget(void *ctx, const struct eddy_unwind_key *key)
{
	struct unwind_loader *l = ctx;

	unwind_maps_forget(l->maps, key);
	file_watch_remove(l->watch, key);
}

static void file_release(void *ctx, uint32_t number)
{
	struct unwind_loader *l = ctx;

	if (l->opts.on_file_gone)
		l->opts.on_file_gone(l->opts.ctx, number);
}

static bool file_is_numbered(void *ctx, const struct eddy_unwind_key *key)
{
	struct unwind_loader *l = ctx;

	return file_numbers_number(l->files, key);
}

void unwind_loader_age(struct unwind_loader *l)
{
	const struct file_numbers_ops ops = ops_of(l);
	uint64_t now = unwind_loader_now_s();

	if (file_numbers_is_due(l->files, now)) {
		file_numbers_age(l->files, now, &ops);
		file_watch_fit(l->watch);
		unwind_maps_age(l->maps);
		file_aliases_age(l->aliases, file_is_numbered, l);
		file_twins_age(&l->twins, file_is_numbered, l);
		unwind_maps_look_again(l->maps);
	}
	/* Once a second and not with each table: mapping 4 MiB costs more than a small table does.
	 */
	unwind_maps_settle(l->maps);
}

void unwind_loader_end_window(struct unwind_loader *l)
{
	file_numbers_end_window(l->files);
}

bool unwind_loader_is_busy(struct unwind_loader *l)
{
	return unwind_jobs_nr(l->jobs);
}

struct worker_pool *unwind_loader_pool(const struct unwind_loader *l)
{
	return l->opts.pool;
}

int unwind_loader_arch(void)
{
	return EDDY_ARCH_NATIVE;
}

uint64_t unwind_loader_moment(const struct unwind_loader *l)
{
	return l ? file_numbers_moment(l->files) : 0;
}

void unwind_loader_find(struct unwind_loader *l, const struct late_mapping *m, uint64_t offset,
			struct late_place *ret_place)
{
	/* By device and inode alone: what names the file here does not know its generation. */
	const struct eddy_unwind_key *known = file_numbers_find(l->files, &m->key, m->moment);

	dev_t dev;
	ino_t ino;

	if (!known)
		known = file_aliases_find(l->aliases, &m->key);
	else if (known->inode)
		known = m->stat(m->ctx, &dev, &ino) ? file_twins_find(&l->twins, dev, ino) : NULL;
	ret_place->kind = LATE_PLACE_PENDING;
	if (known)
		unwind_maps_find(l->maps, known, offset, ret_place);
}

void unwind_loader_get_stats(const struct unwind_loader *l, struct unwind_loader_stats *ret_stats)
{
	*ret_stats = (struct unwind_loader_stats){
		.nr_files = file_numbers_nr(l->files),
		.nr_requests = l->nr_requests,
		.nr_gone = l->nr_gone,
		.nr_refused = l->nr_refused,
		.nr_stalled = l->nr_stalled,
		.nr_rewritten = l->nr_rewritten,
		.nr_unsure = l->nr_unsure,
		.preload_ns = l->preload_ns,
		.nr_preloaded = l->nr_preloaded,
	};
	unwind_maps_get_stats(l->maps, &ret_stats->maps);
	limit_counts_add(&ret_stats->maps.limits, &l->limits);
	ret_stats->maps.limits.nr[LIMIT_NUMBERS] = file_numbers_nr_refused(l->files);
	ret_stats->maps.limits.nr[LIMIT_WATCHES] = file_watch_nr_refused(l->watch);
}
