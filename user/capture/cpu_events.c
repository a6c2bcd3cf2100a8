// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Per-CPU perf events.  Each has a two-page ring of its own that gets no samples (the BPF program
 * takes them) but the kernel's THROTTLE records: the only exact way to learn that it held back.
 */
#include "capture/cpu_events.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/cpus.h"
#include "util/cleanup.h"
#include "util/mem.h"

struct cpu_event {
	uint32_t cpu;
	int fd;				   /* owned until a link owns it; -1 when the CPU is gone */
	struct bpf_link *link;		   /* NULL until started; owns fd from then on */
	struct perf_event_mmap_page *ring; /* NULL when it could not be mapped */
	uint64_t seen_ns;		   /* time enabled when it was last looked at */
};

struct cpu_events {
	struct capture_event event;
	struct capture_rate rate;
	struct bpf_program *prog; /* NULL until started */
	bool follows_hotplug;
	size_t page_bytes;

	struct cpu_event *items;
	size_t nr, cap;

	/* Of events that were closed. */
	struct cpu_events_totals past;
};

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

static uint64_t samples_due(const struct cpu_events *e, const struct event_value *v)
{
	if (!due_is_known(e))
		return 0;
	if (!e->event.is_clock)
		return v->value / e->rate.period;
	/* The kernel turns the frequency of a clock into a fixed period, once. */
	return v->enabled_ns / (e->rate.period ? e->rate.period : 1000000000 / e->rate.freq_hz);
}

static void ring_poll(struct cpu_events *e, struct cpu_event *ce)
{
	char *data = (char *)ce->ring + e->page_bytes;
	uint64_t head, tail;

	if (!ce->ring)
		return;
	head = __atomic_load_n(&ce->ring->data_head, __ATOMIC_ACQUIRE);
	for (tail = ce->ring->data_tail; tail + sizeof(struct perf_event_header) <= head;) {
		/* Records are multiples of 8 bytes, so a header never wraps. */
		const struct perf_event_header *h = (void *)(data + tail % e->page_bytes);

		if (!h->size)
			break;
		e->past.throttled += h->type == PERF_RECORD_THROTTLE;
		tail += h->size;
	}
	__atomic_store_n(&ce->ring->data_tail, head, __ATOMIC_RELEASE);
}

static void totals_add(const struct cpu_events *e, const struct cpu_event *ce,
		       struct cpu_events_totals *t)
{
	struct event_value v;

	if (ce->fd < 0 || read(ce->fd, &v, sizeof(v)) != sizeof(v))
		return;
	t->due += samples_due(e, &v);
	t->enabled_ns += v.enabled_ns;
	t->running_ns += v.running_ns;
}

static void cpu_event_close(struct cpu_events *e, struct cpu_event *ce)
{
	ring_poll(e, ce);
	totals_add(e, ce, &e->past);
	if (ce->ring)
		munmap(ce->ring, 2 * e->page_bytes);
	if (ce->link)
		bpf_link__destroy(ce->link);
	else if (ce->fd >= 0)
		close(ce->fd);
	*ce = (struct cpu_event){ .cpu = ce->cpu, .fd = -1 };
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
	void *ring;

	if (fd < 0)
		return fd;
	if (!ce) {
		array_reserve(e->items, e->cap, e->nr + 1);
		ce = &e->items[e->nr++];
		e->past.nr_cpus++;
	}
	ring = mmap(NULL, 2 * e->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*ce = (struct cpu_event){
		.cpu = cpu,
		.fd = fd,
		.ring = ring == MAP_FAILED ? NULL : ring,
	};
	return 0;
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
	e->page_bytes = sysconf(_SC_PAGESIZE);
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
	free(e);
}

int cpu_events_start(struct cpu_events *e, struct bpf_program *prog, struct diag *ret_diag)
{
	e->prog = prog;
	for (size_t i = 0; i < e->nr; i++) {
		int r = cpu_event_start(e, &e->items[i], ret_diag);

		if (r < 0)
			return r;
	}
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
	_cleanup_free_ uint32_t *online = NULL;
	size_t nr_online;
	int r;

	if (!e->follows_hotplug || e->event.is_tracepoint || !e->prog)
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
	}
	return 0;
}

int cpu_events_set_rate(struct cpu_events *e, const struct capture_rate *rate,
			struct diag *ret_diag)
{
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
	return 0;
}

void cpu_events_stop(struct cpu_events *e)
{
	for (size_t i = 0; i < e->nr; i++)
		/* Programs run at every hit of a tracepoint, whether an event counts it or not. */
		if (e->event.is_tracepoint)
			cpu_event_close(e, &e->items[i]);
		else if (e->items[i].fd >= 0)
			ioctl(e->items[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void cpu_events_poll(struct cpu_events *e)
{
	for (size_t i = 0; i < e->nr; i++)
		ring_poll(e, &e->items[i]);
}

void cpu_events_get_totals(struct cpu_events *e, struct cpu_events_totals *ret_totals)
{
	struct cpu_events_totals t;

	cpu_events_poll(e);
	t = e->past;
	t.due_is_known = due_is_known(e) && !e->event.is_tracepoint;
	for (size_t i = 0; i < e->nr; i++)
		totals_add(e, &e->items[i], &t);
	*ret_totals = t;
}
