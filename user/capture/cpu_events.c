// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Per-CPU perf events.  What was due is known by the time of each, and with it what could not be:
 * for how long its CPU was idle, or the kernel held the event back.
 */
#include "capture/cpu_events.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/cpus.h"
#include "capture/throttle_ring.h"
#include "util/cleanup.h"
#include "util/mem.h"

struct cpu_event {
	uint32_t cpu;
	int fd;		       /* owned until a link owns it; -1 when the CPU is gone */
	struct bpf_link *link; /* NULL until started; owns fd from then on */
	struct throttle_ring ring;
	uint64_t seen_ns;	    /* time enabled when it was last looked at */
	bool has_begun;		    /* `begun` is known */
	struct cpu_times begun;	    /* of the CPU, when the event was enabled */
	struct cpu_events_cpu past; /* of events that were closed */
};

struct cpu_events {
	struct capture_event event;
	struct capture_rate rate;
	struct bpf_program *prog; /* NULL until started */
	bool follows_hotplug;

	struct cpu_event *items;
	size_t nr, cap;

	/* Of events that were closed. */
	struct cpu_events_totals past;
	struct cpu_times *times; /* of all CPUs up to the last that is sampled, read last */
	size_t nr_times;

	pthread_mutex_t lock; /* of all of this: another thread may stop them */
	bool is_stopped;
	struct instant stopped;
};

static pthread_mutex_t *hold(struct cpu_events *e)
{
	pthread_mutex_lock(&e->lock);
	return &e->lock;
}

static void let_go(pthread_mutex_t **lock)
{
	pthread_mutex_unlock(*lock);
}
#define _cleanup_held_ _cleanup_(let_go)

/* What read(2) gives for the read_format of capture_event_open(). */
struct event_value {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

static bool due_is_known(const struct cpu_events *e)
{
	return e->event.is_clock || e->rate.period;
}

/* The kernel turns the frequency of a clock into a fixed period, once. */
static uint64_t clock_period_ns(const struct cpu_events *e)
{
	return e->rate.period ? e->rate.period : 1000000000 / e->rate.freq_hz;
}

static uint64_t samples_due(const struct cpu_events *e, const struct event_value *v)
{
	if (!due_is_known(e))
		return 0;
	if (!e->event.is_clock)
		return e->rate.period ? v->value / e->rate.period : 0;
	return v->enabled_ns / clock_period_ns(e);
}

/* Samples that would be due in such a time; where no clock samples, as many as on the average. */
static uint64_t samples_in(const struct cpu_events *e, const struct event_value *v, uint64_t ns)
{
	if (e->event.is_clock)
		return ns / clock_period_ns(e);
	return v->enabled_ns ? (double)samples_due(e, v) * ns / v->enabled_ns : 0;
}

/* A CPU's time only ever rises, but for the kernel's own mistakes. */
static uint64_t rise(uint64_t then, uint64_t now)
{
	return now > then ? now - then : 0;
}

/* Adds what the event tells to that of the events before it on the CPU. */
static void cpu_add(const struct cpu_events *e, const struct cpu_event *ce,
		    const struct event_value *v, struct cpu_events_cpu *sum)
{
	const struct cpu_times *now;

	sum->due += samples_due(e, v);
	sum->throttled += samples_in(e, v, ce->ring.ns);
	if (!e->event.is_clock || !ce->has_begun)
		return;
	now = &e->times[ce->cpu];
	sum->idle += samples_in(e, v, rise(ce->begun.idle_ns, now->idle_ns));
	sum->stolen += samples_in(e, v, rise(ce->begun.stolen_ns, now->stolen_ns));
	sum->slack = samples_in(e, v, 2 * cpus_tick_ns()) + 1;
}

/* cpu: of the event's; may be NULL. */
static void totals_add(const struct cpu_events *e, const struct cpu_event *ce,
		       struct cpu_events_totals *t, struct cpu_events_cpu *cpu)
{
	struct event_value v;

	t->throttled += ce->ring.nr;
	if (ce->fd < 0 || read(ce->fd, &v, sizeof(v)) != sizeof(v))
		return;
	if (cpu)
		cpu_add(e, ce, &v, cpu);
	t->due += samples_due(e, &v);
	t->counted += v.value;
	t->enabled_ns += v.enabled_ns;
	t->running_ns += v.running_ns;
}

static void cpu_event_close(struct cpu_events *e, struct cpu_event *ce)
{
	throttle_ring_poll(&ce->ring);
	totals_add(e, ce, &e->past, &ce->past);
	throttle_ring_unmap(&ce->ring);
	if (ce->link)
		bpf_link__destroy(ce->link);
	else if (ce->fd >= 0)
		close(ce->fd);
	*ce = (struct cpu_event){ .cpu = ce->cpu, .fd = -1, .past = ce->past };
}

static struct cpu_event *cpu_event_find(struct cpu_events *e, uint32_t cpu)
{
	for (size_t i = 0; i < e->nr; i++)
		if (e->items[i].cpu == cpu)
			return &e->items[i];
	return NULL;
}

static int cpu_event_open(struct cpu_events *e, uint32_t cpu, struct diag *ret_diag)
{
	int fd = capture_event_open(&e->event, &e->rate, cpu, ret_diag);
	struct cpu_event *ce = cpu_event_find(e, cpu);

	if (fd < 0)
		return fd;
	if (!ce) {
		array_reserve(e->items, e->cap, e->nr + 1);
		ce = &e->items[e->nr++];
		*ce = (struct cpu_event){ .past.cpu = cpu };
		e->past.nr_cpus++;
	}
	*ce = (struct cpu_event){ .cpu = cpu, .fd = fd, .past = ce->past };
	throttle_ring_map(&ce->ring, fd);
	return 0;
}

/* How the CPUs stand: before an event is closed or asked, and when some were enabled. */
static void read_times(struct cpu_events *e)
{
	size_t nr = 0;

	if (e->is_stopped)
		return; /* as they stood then */
	for (size_t i = 0; i < e->nr; i++)
		nr = nr > e->items[i].cpu ? nr : e->items[i].cpu + 1;
	if (nr > e->nr_times) {
		e->times = xreallocarray(e->times, nr, sizeof(*e->times));
		memset(e->times + e->nr_times, 0, (nr - e->nr_times) * sizeof(*e->times));
		e->nr_times = nr;
	}
	cpus_read_times(e->times, nr);
}

/* Of events that were enabled a moment ago. */
static void note_begun(struct cpu_events *e)
{
	read_times(e);
	for (size_t i = 0; i < e->nr; i++) {
		struct cpu_event *ce = &e->items[i];

		if (!ce->has_begun)
			ce->begun = e->times[ce->cpu];
		ce->has_begun = true;
	}
}

static int cpu_event_start(struct cpu_events *e, struct cpu_event *ce, struct diag *ret_diag)
{
	ce->link = bpf_program__attach_perf_event(e->prog, ce->fd);
	if (!ce->link)
		return diag_set(ret_diag, errno, "attaching the sampler to CPU %u: %s", ce->cpu,
				strerror(errno));
	return 0;
}

static int cpu_events_open_all(struct cpu_events *e, const uint32_t *cpus, size_t nr_cpus,
			       struct diag *ret_diag)
{
	for (size_t i = 0; i < nr_cpus; i++) {
		int r = cpu_event_open(e, cpus[i], ret_diag);

		if (r == -ENODEV && !e->follows_hotplug)
			return diag_set(ret_diag, ENODEV, "CPU %u is not online", cpus[i]);
		if (r < 0 && r != -ENODEV)
			return r;
	}
	return 0;
}

int cpu_events_open(const struct capture_event *event, const struct capture_rate *rate,
		    const uint32_t *cpus, size_t nr_cpus, struct cpu_events **ret_events,
		    struct diag *ret_diag)
{
	struct cpu_events *e = xcalloc(1, sizeof(*e));
	_cleanup_free_ uint32_t *online = NULL;
	int r = 0;

	e->event = *event;
	e->rate = *rate;
	e->follows_hotplug = !cpus;
	pthread_mutex_init(&e->lock, NULL);
	if (!cpus) {
		r = cpus_online(&online, &nr_cpus);
		if (r < 0)
			diag_set(ret_diag, -r, "the list of CPUs cannot be read: %s", strerror(-r));
		cpus = online;
	}
	if (r >= 0)
		r = cpu_events_open_all(e, cpus, event->is_tracepoint ? 1 : nr_cpus, ret_diag);
	if (r < 0) {
		cpu_events_free(e);
		return r;
	}
	*ret_events = e;
	return 0;
}

void cpu_events_free(struct cpu_events *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->nr; i++)
		cpu_event_close(e, &e->items[i]);
	free(e->items);
	free(e->times);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

int cpu_events_start(struct cpu_events *e, struct bpf_program *prog, struct diag *ret_diag)
{
	_cleanup_held_ pthread_mutex_t *held = hold(e);

	e->prog = prog;
	for (size_t i = 0; i < e->nr; i++) {
		int r = cpu_event_start(e, &e->items[i], ret_diag);

		if (r < 0)
			return r;
	}
	note_begun(e);
	return 0;
}

static bool holds(const uint32_t *cpus, size_t nr, uint32_t cpu)
{
	for (size_t i = 0; i < nr; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

/*
 * An event does not come back with its CPU.  One that went and came between two looks is online all
 * the time as far as sysfs tells, but the time of its event stands still.
 */
static bool is_dead(struct cpu_event *ce)
{
	struct event_value v;
	bool stands_still;

	if (read(ce->fd, &v, sizeof(v)) != sizeof(v))
		return true;
	stands_still = v.enabled_ns == ce->seen_ns;
	ce->seen_ns = v.enabled_ns;
	return stands_still;
}

int cpu_events_follow_hotplug(struct cpu_events *e, struct diag *ret_diag)
{
	_cleanup_held_ pthread_mutex_t *held = hold(e);
	_cleanup_free_ uint32_t *online = NULL;
	size_t nr_online;
	bool is_new = false;
	int r;

	if (!e->follows_hotplug || e->event.is_tracepoint || !e->prog || e->is_stopped)
		return 0;
	r = cpus_online(&online, &nr_online);
	if (r < 0)
		return diag_set(ret_diag, -r, "the list of CPUs cannot be read: %s", strerror(-r));
	for (size_t i = 0; i < e->nr; i++)
		if (e->items[i].fd >= 0 &&
		    (!holds(online, nr_online, e->items[i].cpu) || is_dead(&e->items[i])))
			cpu_event_close(e, &e->items[i]);
	for (size_t i = 0; i < nr_online; i++) {
		struct cpu_event *ce = cpu_event_find(e, online[i]);

		if (ce && ce->fd >= 0)
			continue;
		r = cpu_event_open(e, online[i], ret_diag);
		if (r == -ENODEV)
			continue; /* gone again */
		if (r >= 0)
			r = cpu_event_start(e, cpu_event_find(e, online[i]), ret_diag);
		if (r < 0)
			return r;
		is_new = true;
	}
	if (is_new)
		note_begun(e);
	return 0;
}

int cpu_events_set_rate(struct cpu_events *e, const struct capture_rate *rate,
			struct diag *ret_diag)
{
	_cleanup_held_ pthread_mutex_t *held = hold(e);

	if (e->is_stopped)
		return 0;
	read_times(e);
	for (size_t i = 0; i < e->nr; i++)
		if (e->items[i].fd >= 0)
			cpu_event_close(e, &e->items[i]);
	e->rate = *rate;
	for (size_t i = 0; i < e->nr; i++) {
		int r = cpu_event_open(e, e->items[i].cpu, ret_diag);

		if (r == -ENODEV)
			continue; /* gone meanwhile */
		if (r >= 0)
			r = cpu_event_start(e, &e->items[i], ret_diag);
		if (r < 0)
			return r;
	}
	note_begun(e);
	return 0;
}

void cpu_events_stop(struct cpu_events *e, struct instant *ret_stopped)
{
	_cleanup_held_ pthread_mutex_t *held = hold(e);

	for (size_t i = 0; i < e->nr && !e->is_stopped; i++)
		/* Programs run at every hit of a tracepoint, whether an event counts it or not. */
		if (e->event.is_tracepoint)
			cpu_event_close(e, &e->items[i]);
		else if (e->items[i].fd >= 0)
			ioctl(e->items[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	if (!e->is_stopped) {
		e->stopped = instant_now();
		read_times(e);
	}
	e->is_stopped = true;
	if (ret_stopped)
		*ret_stopped = e->stopped;
}

static void poll_rings(struct cpu_events *e)
{
	for (size_t i = 0; i < e->nr; i++)
		throttle_ring_poll(&e->items[i].ring);
}

void cpu_events_poll(struct cpu_events *e)
{
	_cleanup_held_ pthread_mutex_t *held = hold(e);

	poll_rings(e);
}

/* cpus: one of each item; may be NULL. */
static void get_totals(struct cpu_events *e, struct cpu_events_totals *ret_totals,
		       struct cpu_events_cpu *cpus)
{
	struct cpu_events_totals t;

	poll_rings(e);
	t = e->past;
	t.due_is_known = due_is_known(e) && !e->event.is_tracepoint;
	for (size_t i = 0; i < e->nr; i++) {
		if (cpus)
			cpus[i] = e->items[i].past;
		totals_add(e, &e->items[i], &t, cpus ? &cpus[i] : NULL);
	}
	*ret_totals = t;
}

void cpu_events_get_totals(struct cpu_events *e, struct cpu_events_totals *ret_totals)
{
	_cleanup_held_ pthread_mutex_t *held = hold(e);

	get_totals(e, ret_totals, NULL);
}

void cpu_events_get_cpus(struct cpu_events *e, struct cpu_events_totals *ret_totals,
			 struct cpu_events_cpu **ret_cpus)
{
	_cleanup_held_ pthread_mutex_t *held = hold(e);
	struct cpu_events_cpu *cpus = xcalloc(e->nr ? e->nr : 1, sizeof(*cpus));

	read_times(e);
	get_totals(e, ret_totals, cpus);
	*ret_cpus = cpus;
}
