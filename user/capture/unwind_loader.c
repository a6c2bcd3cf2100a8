// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files are named as the kernel names them: device, inode and generation, the first two of which
 * /proc/PID/maps prints from the same fields that the sampler reads; where it prints others
 * (overlayfs), the sampler's request says which.
 *
 * The dictionary of rules has one writer at a time: this thread while preloading, the worker after.
 */
#include "capture/unwind_loader.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "capture/file_aliases.h"
#include "capture/file_key.h"
#include "capture/file_numbers.h"
#include "capture/file_watch.h"
#include "capture/mapping_open.h"
#include "capture/refused_files.h"
#include "capture/running_files.h"
#include "unwind/elf_unwind.h"
#include "unwind/unwind_rules.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/mem.h"

/* Only its constants are used here. */
#define EDDY_UNWIND_READ(s, dst, size, addr) (-1)
#include "unwind_step.h"

/* Files whose tables are not begun yet: each holds a descriptor. */
#define MAX_TODO 128

struct file {
	struct eddy_unwind_key key;
	uint32_t id;
};

/* A file on its way through the worker. */
struct job {
	struct job *next;
	struct file file;
	int fd;
	struct unwind_table *table; /* NULL until built */
	uint64_t retry_at_ns;	    /* when there may be room for it */
};

struct queue {
	struct job *head, **tail;
};

struct unwind_loader {
	struct unwind_loader_opts opts;
	struct unwind_maps *maps;
	struct unwind_rules *rules;
	struct file_numbers *files;
	struct file_watch *watch;     /* of the same files */
	struct file_aliases *aliases; /* of the same files */
	struct refused_files *refused;
	uint64_t nr_requests, nr_gone, nr_refused, nr_rewritten, preload_ns, nr_preloaded;
	struct queue waiting; /* tables that wait for room */
	uint64_t waiting_bytes;

	pthread_t worker;
	bool has_worker;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t more;
	struct queue todo, done;
	bool stop;
	uint64_t nr_jobs, nr_done;
	int done_fd; /* eventfd: something is in `done` */
};

static void queue_init(struct queue *q)
{
	q->head = NULL;
	q->tail = &q->head;
}

static void queue_put(struct queue *q, struct job *job)
{
	job->next = NULL;
	*q->tail = job;
	q->tail = &job->next;
}

static struct job *queue_take(struct queue *q)
{
	struct job *job = q->head;

	if (job) {
		q->head = job->next;
		if (!q->head)
			q->tail = &q->head;
	}
	return job;
}

static void job_free(struct job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	unwind_table_free(job->table);
	free(job);
}

/* ---- files -------------------------------------------------------------------------------- */

static uint64_t now_s(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000000;
}

static void tell_file(struct unwind_loader *l, uint32_t id, int fd, const char *path)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy >= 0)
		l->opts.on_file(l->opts.ctx, id, copy, path);
}

/* ---- worker ------------------------------------------------------------------------------- */

static struct unwind_table *table_build(struct unwind_loader *l, int fd)
{
	struct elf_source source;

	if (elf_source_from_fd(fd, &source) < 0)
		return NULL;
	return elf_unwind_read(&source, l->rules);
}

static void *work(void *arg)
{
	struct unwind_loader *l = arg;
	const uint64_t one = 1;

	pthread_mutex_lock(&l->lock);
	while (!l->stop) {
		struct job *job = queue_take(&l->todo);

		if (!job) {
			pthread_cond_wait(&l->more, &l->lock);
			continue;
		}
		pthread_mutex_unlock(&l->lock);
		job->table = table_build(l, job->fd);
		close(take_fd(&job->fd));
		pthread_mutex_lock(&l->lock);
		queue_put(&l->done, job);
		l->nr_done++;
		if (write(l->done_fd, &one, sizeof(one)) < 0)
			continue; /* the counter is full: it is readable all the same */
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static void worker_start(struct unwind_loader *l)
{
	if (!l->has_worker)
		l->has_worker = !pthread_create(&l->worker, NULL, work, l);
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
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->more, NULL);
	queue_init(&l->todo);
	queue_init(&l->done);
	queue_init(&l->waiting);
	l->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = l->done_fd < 0 ? diag_set(ret_diag, errno, "eventfd: %s", strerror(errno))
			   : unwind_maps_new(&opts->fds, opts->max_bytes, &l->maps, ret_diag);
	if (r < 0) {
		unwind_loader_free(l);
		return r;
	}
	l->rules = unwind_rules_new(unwind_maps_rules(l->maps));
	*ret_loader = l;
	return 0;
}

void unwind_loader_free(struct unwind_loader *l)
{
	struct job *job;

	if (!l)
		return;
	if (l->has_worker) {
		pthread_mutex_lock(&l->lock);
		l->stop = true;
		pthread_cond_signal(&l->more);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->worker, NULL);
	}
	while ((job = queue_take(&l->todo)) || (job = queue_take(&l->done)) ||
	       (job = queue_take(&l->waiting)))
		job_free(job);
	unwind_rules_free(l->rules);
	unwind_maps_free(l->maps);
	pthread_cond_destroy(&l->more);
	pthread_mutex_destroy(&l->lock);
	if (l->done_fd >= 0)
		close(l->done_fd);
	file_numbers_free(l->files);
	file_watch_free(l->watch);
	file_aliases_free(l->aliases);
	refused_files_free(l->refused);
	free(l);
}

/* ---- preload ------------------------------------------------------------------------------ */

/* A vdso's section headers are its end. */
static size_t vdso_bytes(const Elf64_Ehdr *vdso)
{
	return vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize;
}

/* The vdso is memory of every process; ours stands for all 64-bit ones. */
static void preload_vdso(struct unwind_loader *l)
{
	const struct eddy_unwind_key key = { .ino = EDDY_VDSO_INO,
					     .dev = EDDY_VDSO_DEV,
					     .gen = EDDY_VDSO_GEN };
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	_cleanup_(unwind_table_freep) struct unwind_table *table = NULL;
	_cleanup_close_ int fd = -1;
	struct elf_source source;
	bool is_new;
	uint32_t id;

	if (!vdso)
		return;
	source = elf_source_from_bytes(vdso, vdso_bytes(vdso));
	id = file_numbers_get(l->files, &key, now_s(), &is_new);
	table = elf_unwind_read_vdso(&source, l->rules);
	unwind_maps_add(l->maps, &key, id, table);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, vdso, source.len) == (ssize_t)source.len)
		tell_file(l, id, fd, "[vdso]");
}

static void preload_file(void *ctx, const struct eddy_unwind_key *key, int fd, const char *path)
{
	_cleanup_(unwind_table_freep) struct unwind_table *table = NULL;
	struct unwind_loader *l = ctx;
	bool is_new;
	uint32_t id;

	id = file_numbers_get(l->files, key, now_s(), &is_new);
	if (!is_new || !id)
		return;
	table = table_build(l, fd);
	if (!table || unwind_maps_have_room(l->maps, table))
		unwind_maps_add(l->maps, key, id, table);
	tell_file(l, id, fd, path);
	file_watch_add(l->watch, key, fd);
	l->nr_preloaded++;
}

void unwind_loader_preload(struct unwind_loader *l)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	preload_vdso(l);
	running_files_each(preload_file, l);
	unwind_maps_settle(l->maps);
	l->preload_ns = clock_ns(CLOCK_MONOTONIC) - start;
}

/* ---- requests ----------------------------------------------------------------------------- */

static bool has_room_to_do(struct unwind_loader *l)
{
	bool has_room;

	pthread_mutex_lock(&l->lock);
	has_room = l->nr_jobs - l->nr_done < MAX_TODO;
	pthread_mutex_unlock(&l->lock);
	return has_room;
}

/* Opens the file of a request.  A descriptor; negative: there will be none, see file_is_asked(). */
static int request_open(struct unwind_loader *l, const struct eddy_file_event *ev)
{
	int fd = has_room_to_do(l) ? mapping_open(ev) : -EBUSY;

	if (fd >= 0)
		refused_files_remove(l->refused, &ev->key);
	else if (fd == -ESRCH)
		l->nr_gone++;
	else if (fd != -ENODEV && fd != -EBUSY)
		l->nr_refused++;
	return fd;
}

/*
 * Is a file that could not be opened to be asked for by the next sample?  One whose process has
 * ended is, for another may have it mapped; one that may not be opened is not for some time.
 */
static bool file_is_asked(struct unwind_loader *l, const struct eddy_unwind_key *key, int err)
{
	if (err == -ESRCH || err == -EBUSY)
		return true;
	return err != -ENODEV &&
	       !refused_files_add(l->refused, key, err == -ESTALE, clock_ns(CLOCK_MONOTONIC));
}

/* The file of a request is open: the worker is to build its table. */
static void request_pass_on(struct unwind_loader *l, const struct eddy_file_event *ev, uint32_t id,
			    int fd)
{
	_cleanup_free_ char *link =
		xasprintf("/proc/%u/map_files/%llx-%llx", ev->pid, (unsigned long long)ev->start,
			  (unsigned long long)ev->end);
	char path[4096] = "";
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	struct job *job = xcalloc(1, sizeof(*job));

	path[n > 0 ? n : 0] = '\0';
	job->fd = fd;
	job->file = (struct file){ .key = ev->key, .id = id };
	tell_file(l, job->file.id, fd, path);
	file_watch_add(l->watch, &ev->key, fd);
	worker_start(l);
	pthread_mutex_lock(&l->lock);
	queue_put(&l->todo, job);
	l->nr_jobs++;
	pthread_cond_signal(&l->more);
	pthread_mutex_unlock(&l->lock);
}

void unwind_loader_request(struct unwind_loader *l, const struct eddy_file_event *ev)
{
	int fd = request_open(l, ev);
	bool is_new;
	uint32_t id;

	l->nr_requests++;
	if (fd < 0 && file_is_asked(l, &ev->key, fd)) {
		unwind_maps_forget(l->maps, &ev->key);
		return;
	}
	id = file_numbers_get(l->files, &ev->key, now_s(), &is_new);
	if (!file_key_has_inode(&ev->shown, &ev->key))
		file_aliases_add(l->aliases, &ev->shown, &ev->key);
	if (fd >= 0 && id) {
		request_pass_on(l, ev, id, fd);
		return;
	}
	/* A device, refused, or no number is left: without a table. */
	if (fd >= 0)
		close(fd);
	unwind_maps_add(l->maps, &ev->key, id, NULL);
}

int unwind_loader_poll_fd(const struct unwind_loader *l)
{
	return l->done_fd;
}

/* Puts a table into the maps, or among those that wait for room there; consumes the job. */
static void job_finish(struct unwind_loader *l, struct job *job)
{
	const struct unwind_table *table = job->table;
	uint64_t bytes = table ? table->nr_rows * sizeof(*table->row) : 0;
	int r;

	if (!file_numbers_has(l->files, &job->file.key, job->file.id)) {
		job_free(job); /* forgotten meanwhile */
		return;
	}
	r = unwind_maps_add(l->maps, &job->file.key, job->file.id, table);
	if (r == -ENOSPC && bytes <= l->opts.max_bytes - l->waiting_bytes) {
		job->retry_at_ns =
			clock_ns(CLOCK_MONOTONIC) + UNWIND_MAPS_REST_SECONDS * 1100000000ull;
		l->waiting_bytes += bytes;
		queue_put(&l->waiting, job);
		return;
	}
	if (r < 0)
		unwind_maps_forget(l->maps, &job->file.key);
	job_free(job);
}

/* Tries those again that waited long enough; they stand in the order of their times. */
static void retry_waiting(struct unwind_loader *l)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	while (l->waiting.head && l->waiting.head->retry_at_ns <= now) {
		struct job *job = queue_take(&l->waiting);

		l->waiting_bytes -= job->table->nr_rows * sizeof(*job->table->row);
		job_finish(l, job);
	}
}

/* A file was written again in place: what is known of it is asked for anew. */
static void file_changed(void *ctx, const struct eddy_unwind_key *key)
{
	struct unwind_loader *l = ctx;

	file_numbers_renew(l->files, key);
	unwind_maps_forget(l->maps, key);
	unwind_maps_look_again(l->maps);
	l->nr_rewritten++;
}

void unwind_loader_poll(struct unwind_loader *l)
{
	struct job *job;
	uint64_t count;

	file_watch_poll(l->watch, now_s(), file_changed, l);
	if (refused_files_poll(l->refused, clock_ns(CLOCK_MONOTONIC)))
		unwind_maps_look_again(l->maps);
	if (read(l->done_fd, &count, sizeof(count)) < 0 && !l->waiting.head)
		return;
	retry_waiting(l);
	for (;;) {
		pthread_mutex_lock(&l->lock);
		job = queue_take(&l->done);
		pthread_mutex_unlock(&l->lock);
		if (!job)
			break;
		job_finish(l, job);
	}
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

static bool file_is_known(void *ctx, const struct eddy_unwind_key *key)
{
	const struct unwind_loader *l = ctx;

	return file_numbers_find(l->files, key);
}

void unwind_loader_age(struct unwind_loader *l)
{
	const struct file_numbers_ops ops = {
		.was_used = file_was_used,
		.forget = file_forget,
		.release = file_release,
		.ctx = l,
	};
	uint64_t now = now_s();

	if (file_numbers_is_due(l->files, now)) {
		file_numbers_age(l->files, now, &ops);
		file_aliases_age(l->aliases, file_is_known, l);
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
	bool busy;

	pthread_mutex_lock(&l->lock);
	busy = l->nr_jobs != l->nr_done || l->done.head;
	pthread_mutex_unlock(&l->lock);
	return busy;
}

int unwind_loader_arch(void)
{
	return EDDY_ARCH_NATIVE;
}

void unwind_loader_find(struct unwind_loader *l, const struct eddy_unwind_key *key, uint64_t offset,
			struct late_place *ret_place)
{
	/* By device and inode alone: what names the file here does not know its generation. */
	const struct eddy_unwind_key *known = file_numbers_find(l->files, key);

	if (!known)
		known = file_aliases_find(l->aliases, key);
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
		.nr_rewritten = l->nr_rewritten,
		.nr_rules_refused = unwind_rules_refused(l->rules),
		.preload_ns = l->preload_ns,
		.nr_preloaded = l->nr_preloaded,
	};
	unwind_maps_get_stats(l->maps, &ret_stats->maps);
}
