// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One mutex around a list.  The writer takes the oldest window out, writes it without the mutex,
 * and puts it back in front when that failed: the order of windows is kept by construction.
 */
#include "snapshot/snapshot_writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "util/clock.h"
#include "util/mem.h"

#define RETRY_NS 5000000000ull

struct snapshot_writer {
	struct snapshot_store *store;
	snapshot_message_fn message;
	pthread_t thread;
	bool is_running;

	pthread_mutex_t mutex; /* for all that follows */
	pthread_cond_t wake;   /* there is something new for the thread */
	struct snapshot_window *first, *last;
	size_t nr, bytes;
	size_t writing; /* what the one takes that is being written */
	uint64_t max_bytes;
	struct snapshot_limits limits;
	bool has_new_limits;
	bool is_stopping;
	uint64_t nr_files;
	struct snapshot_losses losses;

	/* Trouble: begun and not yet told, or ended and not yet told. */
	struct diag why;
	uint64_t trouble_since_ns; /* 0: none */
	uint64_t trouble_ended_ns; /* 0: it goes on */
	bool is_told;		   /* that it began */
	size_t nr_waited;	   /* most windows in the queue meanwhile */
};

/* ---- the queue, under the mutex ------------------------------------------------------------- */

static struct snapshot_window *take_first(struct snapshot_writer *w)
{
	struct snapshot_window *window = w->first;

	if (!window)
		return NULL;
	w->first = window->next;
	if (!w->first)
		w->last = NULL;
	window->next = NULL;
	w->nr--;
	w->bytes -= snapshot_window_bytes(window);
	return window;
}

static void put_first(struct snapshot_writer *w, struct snapshot_window *window)
{
	window->next = w->first;
	w->first = window;
	if (!w->last)
		w->last = window;
	w->nr++;
	w->bytes += snapshot_window_bytes(window);
}

static void put_last(struct snapshot_writer *w, struct snapshot_window *window)
{
	if (w->last)
		w->last->next = window;
	else
		w->first = window;
	w->last = window;
	w->nr++;
	w->bytes += snapshot_window_bytes(window);
}

static bool is_over(const struct snapshot_writer *w)
{
	return w->bytes + w->writing > w->max_bytes;
}

/* To half of what there is for one, so that the next does not at once take as much work again. */
static void shrink(struct snapshot_window *window, size_t max_bytes)
{
	snapshot_window_trim(window, max_bytes / 2);
	if (snapshot_window_bytes(window) > max_bytes)
		snapshot_window_forget_stacks(window);
}

/*
 * Time resolution goes first, then detail, stacks last, numbers never.  A window may take a third
 * of the queue, as much as a capture gives it: two more are there while it is written.
 */
static void fit(struct snapshot_writer *w)
{
	while (w->nr > 1 && is_over(w)) {
		_cleanup_snapshot_window_ struct snapshot_window *next = NULL;
		struct snapshot_window *oldest = take_first(w);

		next = take_first(w);
		snapshot_window_merge(oldest, next);
		if (snapshot_window_bytes(oldest) > w->max_bytes / 3)
			shrink(oldest, w->max_bytes / 3);
		put_first(w, oldest);
	}
	if (w->first && snapshot_window_bytes(w->first) > w->max_bytes / 3 && is_over(w)) {
		struct snapshot_window *only = take_first(w);

		shrink(only, w->max_bytes / 3);
		put_first(w, only);
	}
}

/* ---- the thread ----------------------------------------------------------------------------- */

/* Under the mutex. */
static void note_result(struct snapshot_writer *w, int r, const struct diag *why)
{
	if (r >= 0) {
		w->nr_files++;
		if (w->trouble_since_ns && !w->trouble_ended_ns && !w->first)
			w->trouble_ended_ns = clock_ns(CLOCK_BOOTTIME);
		return;
	}
	w->why = *why;
	if (!w->trouble_since_ns)
		w->trouble_since_ns = clock_ns(CLOCK_BOOTTIME);
	w->trouble_ended_ns = 0;
	if (w->nr_waited < w->nr)
		w->nr_waited = w->nr;
}

/* Writes the oldest window, if there is one; the mutex is given up meanwhile.  False: it failed. */
static bool write_first(struct snapshot_writer *w)
{
	struct snapshot_window *window = take_first(w);
	struct snapshot_losses losses = { 0 };
	struct diag why = { "" };
	int r;

	if (!window)
		return true;
	w->writing = snapshot_window_bytes(window) + snapshot_window_bytes_to_write(window);
	pthread_mutex_unlock(&w->mutex);
	r = snapshot_store_write(w->store, window, &why);
	snapshot_window_add_losses(window, &losses);
	if (r >= 0)
		snapshot_window_free(window);
	pthread_mutex_lock(&w->mutex);
	w->writing = 0;
	if (r >= 0)
		snapshot_losses_add(&w->losses, &losses);
	if (r < 0) {
		put_first(w, window);
		fit(w);
	}
	note_result(w, r, &why);
	return r >= 0;
}

static void take_limits(struct snapshot_writer *w)
{
	struct snapshot_limits limits = w->limits;

	w->has_new_limits = false;
	pthread_mutex_unlock(&w->mutex);
	snapshot_store_set_limits(w->store, &limits);
	pthread_mutex_lock(&w->mutex);
}

/* Until something new comes, or it is time to try again. */
static void wait_for_work(struct snapshot_writer *w)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + RETRY_NS;
	const struct timespec t = { until / 1000000000, until % 1000000000 };

	if (w->first)
		pthread_cond_timedwait(&w->wake, &w->mutex, &t);
	else
		pthread_cond_wait(&w->wake, &w->mutex);
}

static void *run(void *arg)
{
	struct snapshot_writer *w = arg;

	pthread_mutex_lock(&w->mutex);
	for (;;) {
		bool failed = false, was_stopping = w->is_stopping;

		if (w->has_new_limits)
			take_limits(w);
		while (w->first && !failed)
			failed = !write_first(w);
		/* What fails after the last window has come, failed for the last time. */
		if (was_stopping)
			break;
		if (!w->is_stopping && !w->has_new_limits && (failed || !w->first))
			wait_for_work(w);
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

/* ---- the other side ------------------------------------------------------------------------- */

int snapshot_writer_new(struct snapshot_store *store, uint64_t max_queue_bytes,
			snapshot_message_fn message, struct snapshot_writer **ret_writer,
			struct diag *ret_diag)
{
	struct snapshot_writer *w = xcalloc(1, sizeof(*w));
	pthread_condattr_t attr;
	int err;

	w->store = store;
	w->message = message;
	w->max_bytes = max_queue_bytes;
	pthread_mutex_init(&w->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &attr);
	pthread_condattr_destroy(&attr);
	err = pthread_create(&w->thread, NULL, run, w);
	w->is_running = !err;
	if (err) {
		snapshot_writer_free(w);
		return diag_set(ret_diag, err, "no thread to write files: %s", strerror(err));
	}
	*ret_writer = w;
	return 0;
}

static void end_thread(struct snapshot_writer *w)
{
	if (!w->is_running)
		return;
	pthread_mutex_lock(&w->mutex);
	w->is_stopping = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->mutex);
	pthread_join(w->thread, NULL);
	w->is_running = false;
}

void snapshot_writer_free(struct snapshot_writer *w)
{
	if (!w)
		return;
	end_thread(w);
	while (w->first)
		snapshot_window_free(take_first(w));
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->mutex);
	free(w);
}

void snapshot_writer_submit(struct snapshot_writer *w, struct snapshot_window *window)
{
	pthread_mutex_lock(&w->mutex);
	put_last(w, window);
	fit(w);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->mutex);
}

void snapshot_writer_poll(struct snapshot_writer *w)
{
	_cleanup_free_ char *began = NULL, *ended = NULL;

	pthread_mutex_lock(&w->mutex);
	if (w->trouble_since_ns && !w->is_told) {
		began = xasprintf("%s; windows are kept in memory until it can be written",
				  w->why.text);
		w->is_told = true;
	}
	if (w->trouble_ended_ns) {
		ended = xasprintf("%s: written again after %.1f s; %zu windows had to wait",
				  snapshot_store_path(w->store),
				  (w->trouble_ended_ns - w->trouble_since_ns) / 1e9, w->nr_waited);
		w->trouble_since_ns = w->trouble_ended_ns = 0;
		w->nr_waited = 0;
		w->is_told = false;
	}
	pthread_mutex_unlock(&w->mutex);
	if (began)
		w->message(began);
	if (ended)
		w->message(ended);
}

void snapshot_writer_set_limits(struct snapshot_writer *w, const struct snapshot_limits *limits)
{
	pthread_mutex_lock(&w->mutex);
	w->limits = *limits;
	w->max_bytes = snapshot_limits_queue_bytes(limits);
	w->has_new_limits = true;
	fit(w);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->mutex);
}

void snapshot_writer_stop(struct snapshot_writer *w, struct snapshot_totals *ret_totals,
			  struct diag *ret_why)
{
	struct snapshot_totals t = { 0 };

	end_thread(w);
	snapshot_writer_poll(w);
	t.nr_files = w->nr_files;
	t.losses = w->losses;
	for (struct snapshot_window *i = w->first; i; i = i->next) {
		t.nr_unwritten += i->nr_windows;
		t.unwritten_samples += profile_total(i->profile);
	}
	if (w->first && ret_why)
		*ret_why = w->why;
	*ret_totals = t;
}
