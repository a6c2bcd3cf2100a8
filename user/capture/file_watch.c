// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each queue's watches stand in a table by their number, which is what events name, and their
 * numbers in one by the file: whoever has thousands of files and ends costs no more for each of
 * them than the first did.  The kernel numbers the watches of a queue in rising order and never
 * gives a number again.
 */
#include "capture/file_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "capture/file_key.h"
#include "util/cleanup.h"
#include "util/fair_share.h"
#include "util/mem.h"
#include "util/table.h"

#define MAX_WATCHES   16384 /* as many files as the sampler's map holds */
#define FIRST_WATCHES 48
#define NR_STRANGERS  32
/* Read at a time, of one queue, and in one poll: a busy writer must not hold us up. */
#define EVENT_BYTES 4096

struct watch {
	int wd; /* 0: an empty slot; the kernel begins with 1 */
	struct eddy_unwind_key key;
	bool is_dirty; /* written, and not closed yet */
	bool is_gone;  /* and watched no longer */
	bool is_due;   /* closed after that, and nobody was told yet */
	bool is_seen;  /* that it is due; else events were lost */
	uint64_t told_s;
};

static bool watch_table_is_used(const struct watch *item)
{
	return item->wd != 0;
}

static uint64_t watch_table_hash(const void *nobody, const struct watch *item)
{
	return hash_u64((uint64_t)item->wd);
}

static bool watch_table_equals(const void *nobody, const struct watch *item, const int *wd)
{
	return item->wd == *wd;
}

DEFINE_TABLE(watch_table, struct watch, int, void)

struct watched {
	int wd; /* 0: an empty slot */
	struct eddy_unwind_key key;
};

static bool watched_table_is_used(const struct watched *file)
{
	return file->wd != 0;
}

static uint64_t watched_table_hash(const void *nobody, const struct watched *file)
{
	return file_key_hash(&file->key);
}

static bool watched_table_equals(const void *nobody, const struct watched *file,
				 const struct eddy_unwind_key *key)
{
	return file_key_equals(&file->key, key);
}

DEFINE_TABLE(watched_table, struct watched, struct eddy_unwind_key, void)

struct queue {
	int fd; /* inotify; -1: none */
	struct watch_table watches;
	struct watched_table files;
	size_t nr_due;
	int strangers[NR_STRANGERS]; /* events of watches that were not put yet */
	size_t at_stranger;
	bool is_overflown; /* events were lost since all files were told of */
	uint64_t rest_s;   /* until when that is not done again */
};

struct file_watch {
	struct file_watch_fds fds;
	struct queue queues[FILE_WATCH_QUEUES];
	struct fair_share *share; /* of watches, by queue; charged whatever a share is */
	uint64_t nr_refused;
};

struct file_watch *file_watch_new(void)
{
	struct file_watch *w = xcalloc(1, sizeof(*w));

	w->share = fair_share_new(MAX_WATCHES);
	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++) {
		w->fds.fd[i] = w->queues[i].fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
		watch_table_init(&w->queues[i].watches, FIRST_WATCHES);
		watched_table_init(&w->queues[i].files, FIRST_WATCHES);
	}
	return w;
}

void file_watch_free(struct file_watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++) {
		if (w->queues[i].fd >= 0)
			close(w->queues[i].fd);
		watch_table_deinit(&w->queues[i].watches);
		watched_table_deinit(&w->queues[i].files);
	}
	fair_share_free(w->share);
	free(w);
}

/* Nobody chooses his UID, so which users share a queue is nobody's choice. */
unsigned int file_watch_queue(owner_id owner)
{
	return owner == OWNER_SYSTEM ? FILE_WATCH_SYSTEM : 1 + owner % (FILE_WATCH_QUEUES - 1);
}

const struct file_watch_fds *file_watch_fds(const struct file_watch *w)
{
	return &w->fds;
}

/* NULL: there is none of that number. */
static struct watch *find(const struct queue *q, int wd)
{
	return watch_table_find(&q->watches, NULL, hash_u64((uint64_t)wd), &wd);
}

int file_watch_begin(int queue_fd, int fd)
{
	char path[32];
	int watch;

	if (queue_fd < 0)
		return -EBADF;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	watch = inotify_add_watch(queue_fd, path, IN_MODIFY | IN_CLOSE_WRITE);
	return watch < 0 ? -errno : watch;
}

static owner_id share_of(const struct file_watch *w, const struct queue *q)
{
	return (owner_id)(q - w->queues);
}

/* What it has besides its slot in `watches` goes. */
static void forget(struct file_watch *w, struct queue *q, const struct watch *item)
{
	struct watched *file =
		watched_table_find(&q->files, NULL, file_key_hash(&item->key), &item->key);

	if (file && file->wd == item->wd)
		watched_table_remove(&q->files, NULL, file);
	q->nr_due -= item->is_due;
	fair_share_give(w->share, share_of(w, q), 1);
}

static void drop(struct file_watch *w, struct queue *q, struct watch *item)
{
	forget(w, q, item);
	watch_table_remove(&q->watches, NULL, item);
}

static void queue_remove(struct file_watch *w, struct queue *q, const struct eddy_unwind_key *key)
{
	const struct watched *file = watched_table_find(&q->files, NULL, file_key_hash(key), key);
	struct watch *item = file ? find(q, file->wd) : NULL;

	if (!item)
		return;
	inotify_rm_watch(q->fd, item->wd);
	drop(w, q, item);
}

void file_watch_remove(struct file_watch *w, const struct eddy_unwind_key *key)
{
	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++)
		queue_remove(w, &w->queues[i], key);
}

/* The watches of a queue that came up to a number. */
struct relief {
	struct file_watch *w;
	struct queue *q;
	int last, except;
};

static bool watch_relieve(void *ctx, struct watch *item)
{
	const struct relief *r = ctx;

	if (item->wd > r->last || item->wd == r->except)
		return false;
	inotify_rm_watch(r->q->fd, item->wd);
	forget(r->w, r->q, item);
	return true;
}

/* About half of a queue's watches make way, the first that came; so this is seldom. */
static size_t queue_relieve(struct file_watch *w, struct queue *q, int except)
{
	struct relief relief = { .w = w, .q = q, .except = except };
	size_t nr = q->watches.nr;
	uint64_t sum = 0;

	if (!nr)
		return 0;
	for (const struct watch *i = NULL; (i = watch_table_next(&q->watches, i));)
		sum += (uint64_t)i->wd;
	relief.last = (int)(sum / nr);
	watch_table_sweep(&q->watches, NULL, watch_relieve, &relief);
	w->nr_refused += nr - q->watches.nr;
	return nr - q->watches.nr;
}

static void keep_bound(struct file_watch *w, const struct queue *q, int except)
{
	owner_id from;

	while (fair_share_used(w->share) > fair_share_total(w->share) &&
	       fair_share_greediest(w->share, share_of(w, q), &from) &&
	       queue_relieve(w, &w->queues[from], except))
		;
}

/*
 * The kernel had no watch left.  What we have is all that there may be then: of whose queue has
 * most beyond its share some make way, for the next file of this one.
 */
static void make_room(struct file_watch *w, const struct queue *q)
{
	struct fair_share *all = fair_share_new(fair_share_used(w->share));
	owner_id from;

	w->nr_refused++;
	for (owner_id i = 0; i < FILE_WATCH_QUEUES; i++)
		fair_share_charge(all, i, fair_share_of(w->share, i));
	if (fair_share_greediest(all, share_of(w, q), &from) && from != share_of(w, q))
		queue_relieve(w, &w->queues[from], 0);
	fair_share_free(all);
}

static bool is_stranger(const struct queue *q, int wd)
{
	for (size_t i = 0; i < NR_STRANGERS; i++)
		if (q->strangers[i] == wd)
			return true;
	return false;
}

void file_watch_put(struct file_watch *w, const struct eddy_unwind_key *key, unsigned int queue,
		    int watch)
{
	struct queue *q = &w->queues[queue % FILE_WATCH_QUEUES];
	bool is_due, is_new;

	if (watch == -ENOSPC)
		make_room(w, q);
	if (watch <= 0 || find(q, watch))
		return;		 /* none, or the file is watched already */
	queue_remove(w, q, key); /* by a watch that has ended, which nobody was told yet */
	is_due = is_stranger(q, watch);
	*watch_table_add(&q->watches, NULL, hash_u64((uint64_t)watch)) =
		(struct watch){ .wd = watch, .key = *key, .is_due = is_due, .is_seen = is_due };
	*watched_table_get(&q->files, NULL, file_key_hash(key), key, &is_new) =
		(struct watched){ watch, *key };
	q->nr_due += is_due;
	fair_share_charge(w->share, share_of(w, q), 1);
	keep_bound(w, q, watch);
}

size_t file_watch_nr(const struct file_watch *w)
{
	return fair_share_used(w->share);
}

uint64_t file_watch_nr_refused(const struct file_watch *w)
{
	return w->nr_refused;
}

static void item_is_due(struct queue *q, struct watch *item)
{
	q->nr_due += !item->is_due;
	item->is_due = true;
}

static void take_event(struct file_watch *w, struct queue *q, const struct inotify_event *ev)
{
	struct watch *item = find(q, ev->wd);

	if (ev->mask & IN_Q_OVERFLOW) {
		q->is_overflown = true;
		return;
	}
	if (!item) {
		if (ev->mask & (IN_MODIFY | IN_CLOSE_WRITE))
			q->strangers[q->at_stranger++ % NR_STRANGERS] = ev->wd;
		return;
	}
	if (ev->mask & IN_IGNORED) {
		/*
		 * The file is gone; one that is known by its inode's address has to be forgotten.
		 */
		if (!item->key.inode) {
			drop(w, q, item);
			return;
		}
		item->is_gone = item->is_seen = true;
		item_is_due(q, item);
		return;
	}
	item->is_dirty |= (ev->mask & IN_MODIFY) != 0;
	if (!(ev->mask & IN_CLOSE_WRITE) || !item->is_dirty)
		return;
	item_is_due(q, item);
	item->is_seen = true;
	item->is_dirty = false;
}

/*
 * What happened to any of the files is not known.  Not again at once: whoever makes one queue
 * overflow makes the next one do so, and a look at all files of a queue has its price.
 */
static void take_overflow(struct queue *q, uint64_t now_s)
{
	if (!q->is_overflown || now_s < q->rest_s)
		return;
	q->is_overflown = false;
	q->rest_s = now_s + FILE_WATCH_OVERFLOW_REST;
	for (struct watch *item = NULL; (item = watch_table_next(&q->watches, item));)
		item_is_due(q, item);
}

static void take_events(struct file_watch *w, struct queue *q)
{
	char bytes[EVENT_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = read(q->fd, bytes, sizeof(bytes));

	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *ev = (const void *)(bytes + at);

		take_event(w, q, ev);
		at += (ssize_t)(sizeof(*ev) + ev->len);
	}
}

struct telling {
	struct file_watch *w;
	struct queue *q;
	uint64_t now_s;
	file_changed_fn changed;
	void *ctx;
};

/* Whether the watch is over. */
static bool watch_tell(void *ctx, struct watch *item)
{
	const struct telling *t = ctx;

	if (!item->is_due || (item->told_s == t->now_s && !item->is_gone))
		return false;
	t->changed(t->ctx, &item->key, item->is_seen);
	item->is_due = item->is_seen = false;
	item->told_s = t->now_s;
	t->q->nr_due--;
	if (item->is_gone)
		forget(t->w, t->q, item);
	return item->is_gone;
}

void file_watch_poll(struct file_watch *w, uint64_t now_s, file_changed_fn changed, void *ctx)
{
	struct pollfd ready[FILE_WATCH_QUEUES];
	struct telling telling;

	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++)
		ready[i] = (struct pollfd){ .fd = w->fds.fd[i], .events = POLLIN };
	if (poll(ready, FILE_WATCH_QUEUES, 0) < 0)
		memset(ready, 0, sizeof(ready));
	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++) {
		struct queue *q = &w->queues[i];

		if (ready[i].revents & POLLIN)
			take_events(w, q);
		take_overflow(q, now_s);
		telling = (struct telling){ w, q, now_s, changed, ctx };
		if (q->nr_due)
			watch_table_sweep(&q->watches, NULL, watch_tell, &telling);
	}
}

void file_watch_fit(struct file_watch *w)
{
	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++) {
		watch_table_fit(&w->queues[i].watches, NULL, FIRST_WATCHES);
		watched_table_fit(&w->queues[i].files, NULL, FIRST_WATCHES);
	}
}
