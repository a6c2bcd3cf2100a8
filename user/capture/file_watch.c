// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel numbers the watches of a queue in rising order and never gives a number again, so the
 * array of them is sorted nearly as it grows.
 */
#include "capture/file_watch.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "capture/file_key.h"
#include "util/mem.h"

#define MAX_WATCHES  16384 /* as many files as the sampler's map holds */
#define NR_STRANGERS 32
/* Read at a time, of one queue, and in one poll: a busy writer must not hold us up. */
#define EVENT_BYTES 4096

struct watch {
	int wd;
	struct eddy_unwind_key key;
	bool is_dirty; /* written, and not closed yet */
	bool is_gone;  /* and watched no longer */
	bool is_due;   /* closed after that, and nobody was told yet */
	bool is_seen;  /* that it is due; else events were lost */
	uint64_t told_s;
};

struct queue {
	int fd; /* inotify; -1: none */
	struct watch *items;
	size_t nr, cap, nr_due;
	int strangers[NR_STRANGERS]; /* events of watches that were not put yet */
	size_t at_stranger;
	bool is_overflown; /* events were lost since all files were told of */
	uint64_t rest_s;   /* until when that is not done again */
};

struct file_watch {
	struct file_watch_fds fds;
	struct queue queues[FILE_WATCH_QUEUES];
	size_t nr;
};

struct file_watch *file_watch_new(void)
{
	struct file_watch *w = xcalloc(1, sizeof(*w));

	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++)
		w->fds.fd[i] = w->queues[i].fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return w;
}

void file_watch_free(struct file_watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++) {
		if (w->queues[i].fd >= 0)
			close(w->queues[i].fd);
		free(w->queues[i].items);
	}
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

/* The watch of that number, or where it would stand. */
static size_t find(const struct queue *q, int wd)
{
	size_t low = 0, high = q->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (q->items[mid].wd < wd)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int file_watch_begin(int queue_fd, int fd)
{
	char path[32];

	if (queue_fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return inotify_add_watch(queue_fd, path, IN_MODIFY | IN_CLOSE_WRITE);
}

void file_watch_put(struct file_watch *w, const struct eddy_unwind_key *key, unsigned int queue,
		    int watch)
{
	struct queue *q = &w->queues[queue % FILE_WATCH_QUEUES];
	size_t i = find(q, watch);

	if (watch < 0 || (i < q->nr && q->items[i].wd == watch))
		return; /* none, or the file is watched already */
	if (w->nr >= MAX_WATCHES) {
		inotify_rm_watch(q->fd, watch);
		return;
	}
	array_reserve(q->items, q->cap, q->nr + 1);
	memmove(&q->items[i + 1], &q->items[i], (q->nr - i) * sizeof(*q->items));
	q->nr++;
	w->nr++;
	q->items[i] = (struct watch){ .wd = watch, .key = *key };
	for (size_t k = 0; k < NR_STRANGERS && !q->items[i].is_due; k++)
		q->items[i].is_due = q->items[i].is_seen = q->strangers[k] == watch;
	q->nr_due += q->items[i].is_due;
}

static void drop(struct file_watch *w, struct queue *q, size_t i)
{
	q->nr_due -= q->items[i].is_due;
	memmove(&q->items[i], &q->items[i + 1], (q->nr - i - 1) * sizeof(*q->items));
	q->nr--;
	w->nr--;
}

static bool queue_remove(struct file_watch *w, struct queue *q, const struct eddy_unwind_key *key)
{
	for (size_t i = 0; i < q->nr; i++) {
		if (!file_key_equals(&q->items[i].key, key))
			continue;
		inotify_rm_watch(q->fd, q->items[i].wd);
		drop(w, q, i);
		return true;
	}
	return false;
}

void file_watch_remove(struct file_watch *w, const struct eddy_unwind_key *key)
{
	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++)
		if (queue_remove(w, &w->queues[i], key))
			return;
}

size_t file_watch_nr(const struct file_watch *w)
{
	return w->nr;
}

static void item_is_due(struct queue *q, struct watch *item)
{
	q->nr_due += !item->is_due;
	item->is_due = true;
}

static void take_event(struct file_watch *w, struct queue *q, const struct inotify_event *ev)
{
	size_t i = find(q, ev->wd);
	struct watch *item = i < q->nr ? &q->items[i] : NULL;

	if (ev->mask & IN_Q_OVERFLOW) {
		q->is_overflown = true;
		return;
	}
	if (!item || item->wd != ev->wd) {
		if (ev->mask & (IN_MODIFY | IN_CLOSE_WRITE))
			q->strangers[q->at_stranger++ % NR_STRANGERS] = ev->wd;
		return;
	}
	if (ev->mask & IN_IGNORED) {
		/*
		 * The file is gone; one that is known by its inode's address has to be forgotten.
		 */
		if (!item->key.inode) {
			drop(w, q, i);
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
	for (size_t i = 0; i < q->nr; i++)
		item_is_due(q, &q->items[i]);
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

static void tell(struct file_watch *w, struct queue *q, uint64_t now_s, file_changed_fn changed,
		 void *ctx)
{
	for (size_t i = 0; i < q->nr && q->nr_due; i++) {
		struct watch *item = &q->items[i];

		if (!item->is_due || (item->told_s == now_s && !item->is_gone))
			continue;
		changed(ctx, &item->key, item->is_seen);
		item->is_due = item->is_seen = false;
		item->told_s = now_s;
		q->nr_due--;
		if (item->is_gone)
			drop(w, q, i--);
	}
}

void file_watch_poll(struct file_watch *w, uint64_t now_s, file_changed_fn changed, void *ctx)
{
	struct pollfd ready[FILE_WATCH_QUEUES];

	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++)
		ready[i] = (struct pollfd){ .fd = w->fds.fd[i], .events = POLLIN };
	if (poll(ready, FILE_WATCH_QUEUES, 0) < 0)
		memset(ready, 0, sizeof(ready));
	for (size_t i = 0; i < FILE_WATCH_QUEUES; i++) {
		struct queue *q = &w->queues[i];

		if (ready[i].revents & POLLIN)
			take_events(w, q);
		take_overflow(q, now_s);
		tell(w, q, now_s, changed, ctx);
	}
}
