// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The thread takes what came whole, and does what the messages say, one after the other, while the
 * other buffer fills.
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "run/naming_parts.h"
#include "util/mem.h"
#include "util/priority.h"

#define KEPT_BYTES (256u << 10) /* of a buffer that is empty */

/* ---- what messages say -------------------------------------------------------------------- */

void naming_do_age(struct naming *n)
{
	uint32_t file;

	symbolizer_age(n->opts.symbolizer);
	if (n->opts.age)
		n->opts.age(n->opts.ctx);
	pthread_mutex_lock(&n->lock);
	while (n->nr_lost < NAMING_MAX_LOST && (file = symbolizer_next_lost(n->opts.symbolizer)))
		n->lost[n->nr_lost++] = file;
	pthread_mutex_unlock(&n->lock);
}

static void do_file(struct naming *n, const struct file_message *m)
{
	const struct met_file met = {
		.fd = m->fd,
		.stat = m->has_stat ? &m->stat : NULL,
		.path = m->path,
		.root = m->root,
	};

	symbolizer_add_file(n->opts.symbolizer, m->file, &met);
	process_root_unref(m->root);
}

static void do_hold(struct naming *n)
{
	pthread_mutex_lock(&n->lock);
	n->is_held = true;
	pthread_cond_broadcast(&n->changed);
	while (n->is_held && !n->stop)
		pthread_cond_wait(&n->changed, &n->lock);
	pthread_mutex_unlock(&n->lock);
}

static void do_message(struct naming *n, const struct message *m)
{
	const struct count_message *count = (const void *)m;
	struct collector *c = n->opts.collector;

	switch ((enum message_kind)m->kind) {
	case MESSAGE_STACK:
		collector_stack(c, (const void *)(m + 1));
		break;
	case MESSAGE_COUNT:
		collector_count(c, count->tag, count->samples, count->weight);
		break;
	case MESSAGE_TIME:
		collector_time(c, count->tag, count->samples, count->weight);
		break;
	case MESSAGE_WAIT:
		collector_wait(c, count->tag, count->state, count->samples, count->weight);
		break;
	case MESSAGE_FORGET:
		collector_forget_tags(c);
		break;
	case MESSAGE_FILE:
		do_file(n, (const void *)m);
		break;
	case MESSAGE_FILE_GONE:
		symbolizer_remove_file(n->opts.symbolizer,
				       ((const struct file_gone_message *)m)->file);
		break;
	case MESSAGE_EXEC:
		symbolizer_process_gone(n->opts.symbolizer,
					((const struct eddy_process_event *)(m + 1))->pid);
		break;
	case MESSAGE_CGROUP:
		collector_new_cgroup(c, (const void *)(m + 1));
		break;
	case MESSAGE_AGE:
		naming_do_age(n);
		break;
	case MESSAGE_HOLD:
		do_hold(n);
		break;
	}
}

/* ---- the thread --------------------------------------------------------------------------- */

static void urgency_follow(struct naming *n)
{
	bool is_urgent = n->opts.pool && worker_pool_is_urgent(n->opts.pool);

	if (is_urgent == n->is_urgent)
		return;
	n->is_urgent = is_urgent;
	if (is_urgent)
		priority_hurry();
	else
		priority_relax();
}

static void buffer_empty(struct buffer *b)
{
	b->len = 0;
	if (b->cap <= KEPT_BYTES)
		return;
	free(take_ptr(b->bytes));
	b->cap = 0;
}

/* What came is in `out` now; false: it is to end. */
static bool buffers_swap(struct naming *n)
{
	struct buffer emptied;

	pthread_mutex_lock(&n->lock);
	if (n->stop) {
		pthread_mutex_unlock(&n->lock);
		return false;
	}
	emptied = n->out;
	buffer_empty(&emptied);
	n->out = n->in;
	n->in = emptied;
	n->done = 0;
	if (fair_share_used(n->shares)) {
		fair_share_free(n->shares);
		n->shares = fair_share_new(n->opts.max_bytes);
	}
	n->is_asleep = !n->out.len;
	pthread_cond_broadcast(&n->changed);
	pthread_mutex_unlock(&n->lock);
	return true;
}

static bool has_to_stop(const struct naming *n)
{
	return __atomic_load_n(&n->stop, __ATOMIC_ACQUIRE);
}

static void sleep_until_woken(struct naming *n)
{
	struct pollfd fds[] = {
		{ .fd = n->wake_fd, .events = POLLIN },
		{ .fd = n->opts.poll_fd, .events = POLLIN },
	};
	eventfd_t value;

	poll(fds, ARRAY_SIZE(fds), -1);
	if (fds[0].revents)
		eventfd_read(n->wake_fd, &value);
}

void *naming_work(void *arg)
{
	struct naming *n = arg;
	const struct message *m;

	while (buffers_swap(n)) {
		urgency_follow(n);
		if (n->opts.poll)
			n->opts.poll(n->opts.ctx);
		if (!n->out.len)
			sleep_until_woken(n);
		while ((m = message_at(&n->out, n->done)) && !has_to_stop(n)) {
			n->done += m->bytes;
			do_message(n, m);
		}
	}
	return NULL;
}
