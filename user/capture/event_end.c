// SPDX-License-Identifier: GPL-2.0-or-later
/* A thread that sleeps, of the highest priority that it can have. */
#include "capture/event_end.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/mem.h"
#include "util/priority.h"

struct event_end {
	struct cpu_events *events;
	struct timespec when;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	bool is_off;
};

static void *wait_and_stop(void *arg)
{
	struct event_end *e = arg;
	bool is_off;

	priority_hurry();
	pthread_mutex_lock(&e->lock);
	while (!e->is_off)
		if (pthread_cond_timedwait(&e->changed, &e->lock, &e->when) == ETIMEDOUT)
			break;
	is_off = e->is_off;
	pthread_mutex_unlock(&e->lock);
	if (!is_off)
		cpu_events_stop(e->events, NULL);
	return NULL;
}

/* Signals are for the thread that waits for them. */
static int start(struct event_end *e)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&e->thread, NULL, wait_and_stop, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

struct event_end *event_end_new(struct cpu_events *events, uint64_t mono_ns)
{
	struct event_end *e = xcalloc(1, sizeof(*e));
	pthread_condattr_t attr;

	e->events = events;
	e->when.tv_sec = (time_t)(mono_ns / 1000000000);
	e->when.tv_nsec = (long)(mono_ns % 1000000000);
	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->changed, &attr);
	pthread_condattr_destroy(&attr);
	if (!start(e))
		return e;
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	free(e);
	return NULL;
}

void event_end_free(struct event_end *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->is_off = true;
	pthread_cond_signal(&e->changed);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	free(e);
}
