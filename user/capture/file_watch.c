// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel numbers watches in rising order and never gives a number again, so the array of them
 * is sorted as it grows.
 */
#include "capture/file_watch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "capture/file_key.h"
#include "util/mem.h"

#define MAX_WATCHES 16384 /* as many files as the sampler's map holds */
#define EVENT_BYTES 4096  /* read at a time, and in one poll: a busy writer must not hold us up */

struct watch {
	int wd;
	struct eddy_unwind_key key;
	bool is_dirty; /* written, and not closed yet */
	bool is_due;   /* closed after that, and nobody was told yet */
	uint64_t told_s;
};

struct file_watch {
	int fd; /* inotify; -1: none */
	struct watch *items;
	size_t nr, cap, nr_due;
};

struct file_watch *file_watch_new(void)
{
	struct file_watch *w = xcalloc(1, sizeof(*w));

	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return w;
}

void file_watch_free(struct file_watch *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	free(w->items);
	free(w);
}

/* The watch of that number, or where it would stand. */
static size_t find(const struct file_watch *w, int wd)
{
	size_t low = 0, high = w->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (w->items[mid].wd < wd)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void file_watch_add(struct file_watch *w, const struct eddy_unwind_key *key, int fd)
{
	char path[32];
	size_t i;
	int wd;

	if (w->fd < 0 || w->nr >= MAX_WATCHES)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	wd = inotify_add_watch(w->fd, path, IN_MODIFY | IN_CLOSE_WRITE);
	if (wd < 0)
		return;
	i = find(w, wd);
	if (i < w->nr)
		return; /* the file is watched already */
	array_reserve(w->items, w->cap, w->nr + 1);
	w->items[w->nr++] = (struct watch){ .wd = wd, .key = *key };
}

static void drop(struct file_watch *w, size_t i)
{
	w->nr_due -= w->items[i].is_due;
	memmove(&w->items[i], &w->items[i + 1], (w->nr - i - 1) * sizeof(*w->items));
	w->nr--;
}

void file_watch_remove(struct file_watch *w, const struct eddy_unwind_key *key)
{
	for (size_t i = 0; i < w->nr; i++) {
		if (!file_key_equals(&w->items[i].key, key))
			continue;
		inotify_rm_watch(w->fd, w->items[i].wd);
		drop(w, i);
		return;
	}
}

size_t file_watch_nr(const struct file_watch *w)
{
	return w->nr;
}

static void take_event(struct file_watch *w, const struct inotify_event *ev)
{
	size_t i = find(w, ev->wd);
	struct watch *item = &w->items[i];

	if (i >= w->nr || item->wd != ev->wd)
		return;
	if (ev->mask & IN_IGNORED) { /* the file is gone */
		drop(w, i);
		return;
	}
	item->is_dirty |= (ev->mask & IN_MODIFY) != 0;
	if (!(ev->mask & IN_CLOSE_WRITE) || !item->is_dirty)
		return;
	w->nr_due += !item->is_due;
	item->is_due = true;
	item->is_dirty = false;
}

void file_watch_poll(struct file_watch *w, uint64_t now_s, file_changed_fn changed, void *ctx)
{
	char bytes[EVENT_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = w->fd < 0 ? -1 : read(w->fd, bytes, sizeof(bytes));

	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *ev = (const void *)(bytes + at);

		take_event(w, ev);
		at += (ssize_t)(sizeof(*ev) + ev->len);
	}
	for (size_t i = 0; i < w->nr && w->nr_due; i++) {
		struct watch *item = &w->items[i];

		if (!item->is_due || item->told_s == now_s)
			continue;
		item->is_due = false;
		item->told_s = now_s;
		w->nr_due--;
		changed(ctx, &item->key);
	}
}
