// SPDX-License-Identifier: GPL-2.0-or-later
/* The side of who drains: messages, one behind the other in a buffer. */
#include "run/naming.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "run/naming_parts.h"
#include "util/clock.h"
#include "util/mem.h"

#define MAX_BYTES     (32ull << 20)
#define MEANWHILE_NS  10000000ull
#define MESSAGE_ALIGN 8

/* ---- life --------------------------------------------------------------------------------- */

static void cond_init_monotonic(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

struct naming *naming_new(const struct naming_opts *opts)
{
	struct naming *n = xcalloc(1, sizeof(*n));

	n->opts = *opts;
	if (!n->opts.max_bytes)
		n->opts.max_bytes = MAX_BYTES;
	n->shares = fair_share_new(n->opts.max_bytes);
	n->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&n->lock, NULL);
	cond_init_monotonic(&n->changed);
	return n;
}

void naming_begin(struct naming *n)
{
	if (n->wake_fd < 0)
		return;
	n->is_urgent = n->opts.pool && worker_pool_is_urgent(n->opts.pool);
	n->has_thread = !pthread_create(&n->thread, NULL, naming_work, n);
}

static void file_drop(const struct file_message *m)
{
	if (m->fd >= 0)
		close(m->fd);
	process_root_unref(m->root);
}

static void buffer_drop(struct buffer *b, size_t from)
{
	const struct message *m;

	for (size_t at = from; (m = message_at(b, at)); at += m->bytes)
		if (m->kind == MESSAGE_FILE)
			file_drop((const void *)m);
	free(b->bytes);
}

void naming_free(struct naming *n)
{
	if (!n)
		return;
	if (n->has_thread) {
		pthread_mutex_lock(&n->lock);
		__atomic_store_n(&n->stop, true, __ATOMIC_RELEASE);
		pthread_cond_broadcast(&n->changed);
		pthread_mutex_unlock(&n->lock);
		eventfd_write(n->wake_fd, 1);
		pthread_join(n->thread, NULL);
	}
	buffer_drop(&n->out, n->done);
	buffer_drop(&n->in, 0);
	if (n->wake_fd >= 0)
		close(n->wake_fd);
	fair_share_free(n->shares);
	pthread_cond_destroy(&n->changed);
	pthread_mutex_destroy(&n->lock);
	free(n);
}

/* ---- who drains --------------------------------------------------------------------------- */

/* With the lock: room for a message at the end of `in`, which is filled before it is let go. */
static void *message_put(struct naming *n, enum message_kind kind, size_t bytes)
{
	struct buffer *b = &n->in;
	struct message *m;

	bytes = (bytes + MESSAGE_ALIGN - 1) / MESSAGE_ALIGN * MESSAGE_ALIGN;
	array_reserve(b->bytes, b->cap, b->len + bytes);
	m = (void *)(b->bytes + b->len);
	*m = (struct message){ kind, bytes };
	b->len += bytes;
	return m;
}

/* Waits while far too much is there, but not for a thread that is held. */
static void begin_put(struct naming *n)
{
	pthread_mutex_lock(&n->lock);
	while (n->in.len > 2 * n->opts.max_bytes && !n->is_held)
		pthread_cond_wait(&n->changed, &n->lock);
}

static void end_put(struct naming *n)
{
	bool is_asleep = n->is_asleep;

	n->is_asleep = false;
	pthread_mutex_unlock(&n->lock);
	if (is_asleep)
		eventfd_write(n->wake_fd, 1);
}

/* A message whose head is followed by those bytes. */
static void put_bytes(struct naming *n, enum message_kind kind, const void *bytes, size_t len)
{
	struct message *m;

	begin_put(n);
	m = message_put(n, kind, sizeof(*m) + len);
	if (len)
		memcpy(m + 1, bytes, len);
	end_put(n);
}

/* Only what its user has room for is kept of the stack; what is left out is said. */
static void stack_fit(struct naming *n, struct eddy_stack_event *ev, size_t bytes)
{
	if (!ev->nr_user || fair_share_take(n->shares, owner_of_uid(ev->uid), bytes) >= 0)
		return;
	ev->nr_user = 0;
	ev->user_end = EDDY_END_QUEUE;
	ev->flags &= ~(EDDY_SAMPLE_FP_STEPS | EDDY_SAMPLE_CODE_STEPS);
	n->limits.nr[LIMIT_QUEUE]++;
}

uint32_t naming_stack(struct naming *n, const struct eddy_stack_event *ev)
{
	size_t frames = (size_t)ev->nr_kernel + ev->nr_user;
	size_t bytes = sizeof(*ev) + frames * sizeof(ev->frames[0]), kept;
	struct eddy_stack_event *copy;
	struct message *m;

	if (!n->has_thread)
		return collector_stack(n->opts.collector, ev);
	begin_put(n);
	m = message_put(n, MESSAGE_STACK, sizeof(*m) + bytes);
	copy = (void *)(m + 1);
	memcpy(copy, ev, bytes);
	stack_fit(n, copy, bytes);
	kept = bytes - (ev->nr_user - copy->nr_user) * sizeof(ev->frames[0]);
	if (kept < bytes) {
		n->in.len -= m->bytes;
		message_put(n, MESSAGE_STACK, sizeof(*m) + kept);
	}
	end_put(n);
	return n->next_tag++;
}

/* What the tag's stack is counted, from the collector's own arguments. */
static void put_count(struct naming *n, enum message_kind kind, const struct count_message *count)
{
	struct count_message *m;

	begin_put(n);
	m = message_put(n, kind, sizeof(*m));
	memcpy(&m->tag, &count->tag, sizeof(*m) - offsetof(struct count_message, tag));
	end_put(n);
}

void naming_count(struct naming *n, uint32_t tag, uint64_t samples, uint64_t weight)
{
	if (n->has_thread)
		put_count(n, MESSAGE_COUNT,
			  &(struct count_message){
				  .tag = tag, .samples = samples, .weight = weight });
	else
		collector_count(n->opts.collector, tag, samples, weight);
}

void naming_time(struct naming *n, uint32_t tag, uint64_t time_ns, uint64_t weight)
{
	if (n->has_thread)
		put_count(n, MESSAGE_TIME,
			  &(struct count_message){
				  .tag = tag, .samples = time_ns, .weight = weight });
	else
		collector_time(n->opts.collector, tag, time_ns, weight);
}

void naming_wait(struct naming *n, uint32_t tag, enum eddy_wait state, uint64_t waits, uint64_t ns)
{
	if (n->has_thread)
		put_count(n, MESSAGE_WAIT,
			  &(struct count_message){
				  .tag = tag, .state = state, .samples = waits, .weight = ns });
	else
		collector_wait(n->opts.collector, tag, state, waits, ns);
}

void naming_forget(struct naming *n)
{
	if (!n->has_thread) {
		collector_forget_tags(n->opts.collector);
		return;
	}
	put_bytes(n, MESSAGE_FORGET, NULL, 0);
	n->next_tag = 0;
}

void naming_file(struct naming *n, uint32_t file, const struct met_file *met)
{
	size_t len = strlen(met->path) + 1;
	struct file_message *m;

	if (!n->has_thread) {
		symbolizer_add_file(n->opts.symbolizer, file, met);
		return;
	}
	begin_put(n);
	m = message_put(n, MESSAGE_FILE, sizeof(*m) + len);
	m->file = file;
	m->fd = met->fd;
	m->has_stat = met->stat;
	if (met->stat)
		m->stat = *met->stat;
	m->root = process_root_ref(met->root);
	memcpy(m->path, met->path, len);
	end_put(n);
}

void naming_file_gone(struct naming *n, uint32_t file)
{
	const uint64_t gone = file;

	if (n->has_thread)
		put_bytes(n, MESSAGE_FILE_GONE, &gone, sizeof(gone));
	else
		symbolizer_remove_file(n->opts.symbolizer, file);
}

void naming_exec(struct naming *n, const struct eddy_process_event *ev)
{
	if (n->has_thread)
		put_bytes(n, MESSAGE_EXEC, ev, sizeof(*ev));
	else
		symbolizer_process_gone(n->opts.symbolizer, ev->pid);
}

void naming_cgroup(struct naming *n, const struct eddy_cgroup_event *ev)
{
	if (n->has_thread)
		put_bytes(n, MESSAGE_CGROUP, ev,
			  offsetof(struct eddy_cgroup_event, path) + ev->path_bytes);
	else
		collector_new_cgroup(n->opts.collector, ev);
}

void naming_age(struct naming *n)
{
	if (n->has_thread)
		put_bytes(n, MESSAGE_AGE, NULL, 0);
	else
		naming_do_age(n);
}

uint32_t naming_next_lost(struct naming *n)
{
	uint32_t file;

	pthread_mutex_lock(&n->lock);
	file = n->nr_lost ? n->lost[--n->nr_lost] : 0;
	pthread_mutex_unlock(&n->lock);
	return file;
}

/* ---- holding it --------------------------------------------------------------------------- */

/* A moment, or until something happens; with the lock. */
static void wait_a_moment(struct naming *n)
{
	const uint64_t until = clock_ns(CLOCK_MONOTONIC) + MEANWHILE_NS;
	const struct timespec t = { until / 1000000000, until % 1000000000 };

	pthread_cond_timedwait(&n->changed, &n->lock, &t);
}

static void hold(struct naming *n, void (*meanwhile)(void *ctx), void *ctx)
{
	if (!n->has_thread)
		return;
	put_bytes(n, MESSAGE_HOLD, NULL, 0);
	pthread_mutex_lock(&n->lock);
	while (!n->is_held) {
		wait_a_moment(n);
		if (n->is_held || !meanwhile)
			continue;
		pthread_mutex_unlock(&n->lock);
		meanwhile(ctx);
		pthread_mutex_lock(&n->lock);
	}
	pthread_mutex_unlock(&n->lock);
}

void naming_hold(struct naming *n, void (*meanwhile)(void *ctx), void *ctx)
{
	n->next_tag = 0;
	hold(n, meanwhile, ctx);
}

void naming_pause(struct naming *n)
{
	hold(n, NULL, NULL);
}

void naming_go_on(struct naming *n)
{
	pthread_mutex_lock(&n->lock);
	n->is_held = false;
	pthread_cond_broadcast(&n->changed);
	pthread_mutex_unlock(&n->lock);
}

void naming_add_limits(const struct naming *n, struct limit_counts *to)
{
	limit_counts_add(to, &n->limits);
}
