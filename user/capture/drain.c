// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order in which a window is closed is what makes it exact: first no program of its last turn
 * runs any more, then the ring is emptied of its records, then samples that wait for a table are
 * given up, then the map is read.  Nothing of it can come later, and what came early waits.
 */
#include "capture/drain.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/counts.h"
#include "capture/late_samples.h"
#include "capture/marks.h"
#include "capture/open_waits.h"
#include "capture/stack_table.h"
#include "util/clock.h"
#include "util/mem.h"

#define RING_PARTS    16
#define TABLE_WAIT_NS 100000000ull /* of samples at a window's end, for tables being made */

/* Records of the next turn, one behind the other: their bytes, then themselves, padded to 8. */
struct early {
	char *bytes;
	size_t len, cap;
};

struct drain {
	struct drain_opts opts;
	struct sampler_consumer consumer;
	struct ring_buffer *ring;
	struct counts *counts;
	struct stack_table *stacks;
	struct unwind_loader *loader; /* NULL: stacks are walked by frame pointer only */
	struct late_samples *late;    /* NULL: the same */
	bool is_closing;	      /* a turn; records of the next one wait in `early` */
	struct early early;
	uint64_t ring_taken; /* bytes, by the call that goes on */
	uint64_t ring_most;  /* it ends behind so many */
	size_t nr_tags;	     /* since they were forgotten */
	struct drain_totals totals;
	struct drain_cpu *cpus; /* nr_cpus: all that are possible */
	int nr_cpus;
};

/* ---- records ------------------------------------------------------------------------------ */

static void hand_over(struct drain *d, uint32_t tag, uint64_t samples, uint64_t weight)
{
	if (!samples)
		return;
	d->totals.kept += samples;
	d->totals.weight_kept += weight;
	d->consumer.count(d->consumer.ctx, tag, samples, weight);
}

/* A count of the map: of samples, or of waits, whose state stands in the key. */
static void hand_over_key(struct drain *d, const struct eddy_stack_key *key, uint32_t tag,
			  uint64_t samples, uint64_t weight)
{
	if (!d->opts.waits) {
		hand_over(d, tag, samples, weight);
		return;
	}
	d->totals.kept += samples;
	d->totals.weight_kept += weight;
	d->consumer.wait(d->consumer.ctx, tag, key->hash[1] & EDDY_WAIT_BITS, samples, weight);
}

static void tell_time(struct drain *d, uint32_t tag, uint64_t time_ns, uint64_t weight)
{
	if (d->opts.has_times)
		d->consumer.time(d->consumer.ctx, tag, time_ns, weight);
}

/* What user space knows of the stack that a count belongs to. */
static const struct stack_entry *find_stack(const struct drain *d, const struct eddy_stack_key *key)
{
	struct eddy_stack_key own = *key;

	if (d->opts.waits)
		own.hash[1] &= ~EDDY_WAIT_BITS;
	return stack_table_find(d->stacks, &own);
}

static void lose(struct drain *d, uint64_t samples, uint64_t weight)
{
	d->totals.lost_ring_full += samples;
	d->totals.weight_lost_ring_full += weight;
}

static uint32_t tag_get(struct drain *d, const struct eddy_stack_event *ev)
{
	d->nr_tags++;
	return d->consumer.stack(d->consumer.ctx, ev);
}

static void on_stack(struct drain *d, const struct eddy_stack_event *ev)
{
	uint32_t tag;

	if (ev->samples) { /* spilled: it may share its hash with another stack */
		tag = tag_get(d, ev);
		hand_over(d, tag, ev->samples, ev->samples * ev->period);
		tell_time(d, tag, ev->time_ns, ev->samples * ev->period);
		return;
	}
	counts_stack_sent(d->counts);
	if (stack_table_find(d->stacks, &ev->key))
		return; /* two CPUs met it at once, or it is another turn of the window */
	tag = tag_get(d, ev);
	stack_table_add(d->stacks, &ev->key, tag);
	d->totals.nr_stacks++;
}

static void on_late(void *ctx, const struct eddy_stack_event *ev)
{
	on_stack(ctx, ev);
}

static void on_spill(struct drain *d, const struct eddy_spill_event *ev)
{
	const struct stack_entry *e = find_stack(d, &ev->key);

	if (!e) {
		lose(d, ev->samples, ev->samples * ev->period);
		return;
	}
	hand_over_key(d, &ev->key, e->tag, ev->samples, ev->samples * ev->period);
	tell_time(d, e->tag, ev->time_ns, ev->samples * ev->period);
}

/*
 * A stack that is not known has lost its samples, or will be sent again: then they are kept, and
 * have no time.
 */
static void on_mark(void *ctx, const struct eddy_mark *mark)
{
	struct drain *d = ctx;
	const struct stack_entry *e = find_stack(d, &mark->key);

	if (e)
		tell_time(d, e->tag, mark->time_ns, mark->period);
}

static void on_event(struct drain *d, const void *data, size_t bytes)
{
	const struct eddy_stack_event *ev = data;

	switch (*(const uint32_t *)data) {
	case EDDY_EVENT_STACK:
		if (bytes >= sizeof(*ev) + ((size_t)ev->nr_kernel + ev->nr_user) * sizeof(uint64_t))
			on_stack(d, ev);
		break;
	case EDDY_EVENT_SPILL:
		on_spill(d, data);
		break;
	case EDDY_EVENT_MARKS:
		marks_each(data, bytes, on_mark, d);
		break;
	case EDDY_EVENT_LATE:
		if (d->opts.copy_all)
			d->consumer.copy(d->consumer.ctx, data);
		else if (d->late)
			late_samples_add(d->late, data, bytes);
		break;
	case EDDY_EVENT_FILE:
		if (d->loader)
			unwind_loader_request(d->loader, data);
		break;
	case EDDY_EVENT_EXEC:
		d->consumer.exec(d->consumer.ctx, data);
		break;
	case EDDY_EVENT_CGROUP: /* before the samples there, so it never has to wait */
		if (d->consumer.cgroup)
			d->consumer.cgroup(d->consumer.ctx, data);
		break;
	}
}

/*
 * Does it have to wait?  A request for a table has no time to lose; what is said of a process keeps
 * its place behind the process's samples.
 */
static bool is_early(const struct drain *d, const void *data)
{
	uint32_t now = counts_current(d->counts);

	switch (*(const uint32_t *)data) {
	case EDDY_EVENT_STACK:
		return ((const struct eddy_stack_event *)data)->turn == now;
	case EDDY_EVENT_SPILL:
		return ((const struct eddy_spill_event *)data)->turn == now;
	case EDDY_EVENT_MARKS:
		return ((const struct eddy_marks_event *)data)->turn == now;
	case EDDY_EVENT_LATE:
		return ((const struct eddy_late_event *)data)->ev.turn == now;
	case EDDY_EVENT_EXEC:
		return d->early.len;
	}
	return false;
}

static void early_put(struct early *e, const void *data, size_t bytes)
{
	uint64_t size = bytes;
	size_t padded = (bytes + 7) & ~(size_t)7;

	array_reserve(e->bytes, e->cap, e->len + sizeof(size) + padded);
	memcpy(e->bytes + e->len, &size, sizeof(size));
	memcpy(e->bytes + e->len + sizeof(size), data, bytes);
	e->len += sizeof(size) + padded;
}

/* Takes in what came while the turn before was being closed. */
static void early_take(struct drain *d)
{
	struct early e = d->early;
	uint64_t size;

	d->early = (struct early){ 0 };
	for (size_t at = 0; at < e.len; at += sizeof(size) + ((size + 7) & ~7ull)) {
		memcpy(&size, e.bytes + at, sizeof(size));
		on_event(d, e.bytes + at + sizeof(size), size);
	}
	free(e.bytes);
}

static int on_record(void *ctx, void *data, size_t bytes)
{
	struct drain *d = ctx;

	if (d->is_closing && is_early(d, data))
		early_put(&d->early, data, bytes);
	else
		on_event(d, data, bytes);
	/* A record has a header of 8 bytes and is padded to 8. */
	d->ring_taken += (bytes + 15) / 8 * 8;
	return d->ring_taken < d->ring_most ? 0 : -EAGAIN;
}

static int ring_take(struct drain *d, uint64_t most)
{
	int nr;

	if (!d->is_closing)
		early_take(d);
	d->ring_taken = 0;
	d->ring_most = most;
	nr = ring_buffer__consume(d->ring);
	if (nr == -EAGAIN)
		nr = 1;
	if (d->loader) {
		unwind_loader_poll(d->loader);
		if (late_samples_nr(d->late))
			late_samples_poll(d->late, false);
	}
	return nr;
}

/*
 * At most one ring full: all that was there when the call began.  Without a bound, samples that
 * come faster than they can be handled would keep it from ever returning.
 */
int drain_ring(struct drain *d)
{
	return ring_take(d, d->opts.ring_bytes);
}

int drain_ring_part(struct drain *d)
{
	return ring_take(d, d->opts.ring_bytes / RING_PARTS);
}

int drain_poll_fd(const struct drain *d)
{
	return ring_buffer__epoll_fd(d->ring);
}

/* ---- turns and windows -------------------------------------------------------------------- */

/* Stacks whose definition never got through the ring are lost: nobody knows what they were. */
static void take_count(void *ctx, const struct eddy_stack_key *key, const struct eddy_count *count)
{
	struct drain *d = ctx;
	const struct stack_entry *e = find_stack(d, key);
	uint64_t weight = d->opts.is_weighed ? count->weight : count->count;

	if (!count->count)
		return; /* a stack at which nobody's wait has ended yet */
	if (e)
		hand_over_key(d, key, e->tag, count->count, weight);
	else
		lose(d, count->count, weight);
}

/* Adds the counters of all CPUs in a turn; `all` has room for one of each. */
static int add_counters(const struct drain *d, uint32_t turn, struct eddy_counters *all,
			struct eddy_counters *sums)
{
	uint64_t *sum = (uint64_t *)sums;
	uint32_t which = turn % EDDY_NR_TURNS;

	if (bpf_map_lookup_elem(d->opts.counters_fd, &which, all) < 0)
		return -errno;
	for (int i = 0; i < d->nr_cpus; i++)
		for (size_t k = 0; k < sizeof(*sums) / sizeof(*sum); k++)
			sum[k] += ((const __u64 *)&all[i])[k];
	return 0;
}

/* Adds the counters of a turn that is over to the totals, and clears them for the turn after. */
static int take_counters(struct drain *d, uint32_t turn)
{
	_cleanup_free_ struct eddy_counters *all = xcalloc(d->nr_cpus, sizeof(*all));
	uint32_t which = turn % EDDY_NR_TURNS;
	int r = add_counters(d, turn, all, &d->totals.counters);

	if (r < 0)
		return r;
	for (int i = 0; i < d->nr_cpus; i++) {
		d->cpus[i].delivered += all[i].delivered;
		d->cpus[i].idle_task += all[i].idle_task;
	}
	memset(all, 0, d->nr_cpus * sizeof(*all));
	return bpf_map_update_elem(d->opts.counters_fd, &which, all, BPF_ANY) < 0 ? -errno : 0;
}

void drain_get_counters(const struct drain *d, struct eddy_counters *ret_counters)
{
	_cleanup_free_ struct eddy_counters *all = xcalloc(d->nr_cpus, sizeof(*all));

	*ret_counters = d->totals.counters;
	for (uint32_t turn = 0; turn < EDDY_NR_TURNS; turn++)
		add_counters(d, turn, all, ret_counters);
}

static void take_open_wait(void *ctx, const struct eddy_stack_key *key, uint64_t ns)
{
	struct drain *d = ctx;
	const struct stack_entry *e = find_stack(d, key);

	d->totals.open.waits++;
	d->totals.open.ns += ns;
	if (e)
		hand_over_key(d, key, e->tag, 1, ns);
	else
		lose(d, 1, ns);
}

static int take_turn(struct drain *d, uint32_t turn)
{
	int r = counts_take(d->counts, turn, take_count, d);

	if (r >= 0 && d->opts.has_times)
		r = marks_take(d->opts.marks_fd, turn, d->nr_cpus, on_mark, d);
	return r < 0 ? r : take_counters(d, turn);
}

/* When it cannot be ended, what was counted for the next one meanwhile belongs to this one. */
static int end_turn(struct drain *d, struct instant *ret_when)
{
	int r = counts_turn(d->counts, ret_when);

	if (r < 0) {
		drain_ring(d);
		take_turn(d, counts_current(d->counts) + 1);
	}
	return r;
}

static bool knows_too_many(const struct drain *d)
{
	return d->opts.max_stacks && d->nr_tags >= d->opts.max_stacks;
}

/* Between turns: a map that is empty makes the sampler send all that it meets again. */
static void forget_stacks(struct drain *d)
{
	stack_table_clear(d->stacks);
	d->nr_tags = 0;
}

int drain_relieve(struct drain *d)
{
	uint32_t turn = counts_current(d->counts);
	struct instant now;
	int r;

	if (!counts_is_filling(d->counts) && !knows_too_many(d))
		return 0;
	r = end_turn(d, &now);
	if (r < 0)
		return r;
	d->totals.nr_relieved++;
	d->is_closing = true;
	drain_ring(d); /* the last definitions of stacks in that turn's map */
	r = take_turn(d, turn);
	d->is_closing = false;
	if (r >= 0 && knows_too_many(d)) {
		forget_stacks(d);
		d->consumer.forget(d->consumer.ctx);
	}
	return r;
}

/* The last samples may have asked for tables: they get a moment to come. */
static void late_finish(struct drain *d)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + TABLE_WAIT_NS;

	drain_ring(d);
	if (!d->late)
		return;
	while (late_samples_nr(d->late) && unwind_loader_is_busy(d->loader) &&
	       d->early.len < d->opts.ring_bytes && clock_ns(CLOCK_MONOTONIC) < until) {
		nanosleep(&pause, NULL);
		drain_ring(d);
	}
	late_samples_poll(d->late, true);
}

int drain_prepare_end(struct drain *d)
{
	drain_ring(d); /* less is left to do while records of the next window wait */
	return counts_prepare(d->counts);
}

int drain_end_window(struct drain *d, struct instant *ret_end)
{
	uint32_t turn = counts_current(d->counts);
	int r;

	r = end_turn(d, ret_end);
	if (r < 0)
		return r;
	d->is_closing = true;
	late_finish(d);
	r = take_turn(d, turn);
	d->is_closing = false;
	forget_stacks(d);
	if (d->loader)
		unwind_loader_end_window(d->loader);
	return r;
}

int drain_finish(struct drain *d)
{
	int r = counts_settle(d->counts);

	if (r < 0)
		return r;
	late_finish(d);
	r = take_turn(d, counts_current(d->counts));
	if (r >= 0 && d->opts.waits)
		open_waits_take(d->opts.waits, take_open_wait, d, &d->totals.open);
	return r;
}

/* ---- life --------------------------------------------------------------------------------- */

int drain_new(const struct drain_opts *opts, struct drain **ret_drain, struct diag *ret_diag)
{
	struct drain *d = xcalloc(1, sizeof(*d));
	int r;

	d->opts = *opts;
	d->consumer = *opts->consumer;
	d->nr_cpus = libbpf_num_possible_cpus();
	d->cpus = xcalloc(d->nr_cpus, sizeof(*d->cpus));
	d->stacks = stack_table_new();
	r = counts_new(opts->counts_fd, opts->map_bytes, opts->turn, &d->counts, ret_diag);
	if (r >= 0) {
		d->ring = ring_buffer__new(opts->ring_fd, on_record, d, NULL);
		if (!d->ring)
			r = diag_set(ret_diag, errno, "the ring cannot be mapped: %s",
				     strerror(errno));
	}
	if (r < 0) {
		drain_free(d);
		return r;
	}
	*ret_drain = d;
	return 0;
}

void drain_free(struct drain *d)
{
	if (!d)
		return;
	ring_buffer__free(d->ring);
	late_samples_free(d->late);
	counts_free(d->counts);
	stack_table_free(d->stacks);
	free(d->early.bytes);
	free(d->cpus);
	free(d);
}

void drain_use_loader(struct drain *d, struct unwind_loader *loader, uint32_t max_user_frames,
		      bool no_fp)
{
	const struct late_samples_opts opts = {
		.loader = loader,
		.pool = unwind_loader_pool(loader),
		.max_user_frames = max_user_frames,
		.no_fp = no_fp,
		.begun_ns = d->opts.begun_ns,
		.on_sample = on_late,
		.ctx = d,
	};

	d->loader = loader;
	d->late = late_samples_new(&opts);
}

void drain_get_totals(const struct drain *d, struct drain_totals *ret_totals)
{
	*ret_totals = d->totals;
}

struct drain_cpu drain_get_cpu(const struct drain *d, uint32_t cpu)
{
	return cpu < (uint32_t)d->nr_cpus ? d->cpus[cpu] : (struct drain_cpu){ 0 };
}

uint64_t drain_bytes(const struct drain *d)
{
	return stack_table_bytes(d->stacks) + d->early.cap +
	       (d->late ? late_samples_bytes(d->late) : 0);
}
