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
#include "capture/stack_table.h"
#include "util/clock.h"
#include "util/mem.h"

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
	uint64_t ring_taken; /* bytes, since drain_ring() was called */
	struct drain_totals totals;
};

/* ---- records ------------------------------------------------------------------------------ */

static void hand_over(struct drain *d, uint32_t tag, uint64_t samples)
{
	if (!samples)
		return;
	d->totals.handed_over += samples;
	d->consumer.count(d->consumer.ctx, tag, samples);
}

static void on_stack(struct drain *d, const struct eddy_stack_event *ev)
{
	uint32_t tag;

	if (ev->weight) { /* spilled: it may share its hash with another stack */
		tag = d->consumer.stack(d->consumer.ctx, ev);
		hand_over(d, tag, ev->weight);
		return;
	}
	counts_stack_sent(d->counts);
	if (stack_table_find(d->stacks, &ev->key))
		return; /* two CPUs met it at once, or it is another turn of the window */
	tag = d->consumer.stack(d->consumer.ctx, ev);
	stack_table_add(d->stacks, &ev->key, tag);
	d->totals.nr_stacks++;
}

static void on_late(void *ctx, const struct eddy_stack_event *ev)
{
	on_stack(ctx, ev);
}

static void on_spill(struct drain *d, const struct eddy_spill_event *ev)
{
	const struct stack_entry *e = stack_table_find(d->stacks, &ev->key);

	if (e)
		hand_over(d, e->tag, ev->weight);
	else
		d->totals.lost_ring_full += ev->weight;
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
	return d->ring_taken < d->opts.ring_bytes ? 0 : -EAGAIN;
}

/*
 * At most one ring full: all that was there when the call began.  Without a bound, samples that
 * come faster than they can be handled would keep it from ever returning.
 */
int drain_ring(struct drain *d)
{
	int nr;

	if (!d->is_closing)
		early_take(d);
	d->ring_taken = 0;
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

int drain_poll_fd(const struct drain *d)
{
	return ring_buffer__epoll_fd(d->ring);
}

/* ---- turns and windows -------------------------------------------------------------------- */

/* Stacks whose definition never got through the ring are lost: nobody knows what they were. */
static void take_count(void *ctx, const struct eddy_stack_key *key, uint64_t count)
{
	struct drain *d = ctx;
	const struct stack_entry *e = stack_table_find(d->stacks, key);

	if (e)
		hand_over(d, e->tag, count);
	else
		d->totals.lost_ring_full += count;
}

/* Adds the counters of all CPUs in a turn; `all` has room for one of each. */
static int add_counters(const struct drain *d, uint32_t turn, struct eddy_counters *all,
			struct eddy_counters *sums)
{
	int nr_cpus = libbpf_num_possible_cpus();
	uint64_t *sum = (uint64_t *)sums;
	uint32_t which = turn % EDDY_NR_TURNS;

	if (bpf_map_lookup_elem(d->opts.counters_fd, &which, all) < 0)
		return -errno;
	for (int i = 0; i < nr_cpus; i++)
		for (size_t k = 0; k < sizeof(*sums) / sizeof(*sum); k++)
			sum[k] += ((const __u64 *)&all[i])[k];
	return 0;
}

/* Adds the counters of a turn that is over to the totals, and clears them for the turn after. */
static int take_counters(struct drain *d, uint32_t turn)
{
	int nr_cpus = libbpf_num_possible_cpus();
	_cleanup_free_ struct eddy_counters *all = xcalloc(nr_cpus, sizeof(*all));
	uint32_t which = turn % EDDY_NR_TURNS;
	int r = add_counters(d, turn, all, &d->totals.counters);

	if (r < 0)
		return r;
	memset(all, 0, nr_cpus * sizeof(*all));
	return bpf_map_update_elem(d->opts.counters_fd, &which, all, BPF_ANY) < 0 ? -errno : 0;
}

void drain_get_counters(const struct drain *d, struct eddy_counters *ret_counters)
{
	_cleanup_free_ struct eddy_counters *all =
		xcalloc(libbpf_num_possible_cpus(), sizeof(*all));

	*ret_counters = d->totals.counters;
	for (uint32_t turn = 0; turn < EDDY_NR_TURNS; turn++)
		add_counters(d, turn, all, ret_counters);
}

static int take_turn(struct drain *d, uint32_t turn)
{
	int r = counts_take(d->counts, turn, take_count, d);

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

int drain_relieve(struct drain *d)
{
	uint32_t turn = counts_current(d->counts);
	struct instant now;
	int r;

	if (!counts_is_filling(d->counts))
		return 0;
	r = end_turn(d, &now);
	if (r < 0)
		return r;
	d->totals.nr_relieved++;
	d->is_closing = true;
	drain_ring(d); /* the last definitions of stacks in that turn's map */
	r = take_turn(d, turn);
	d->is_closing = false;
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
	stack_table_clear(d->stacks);
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
	return take_turn(d, counts_current(d->counts));
}

/* ---- life --------------------------------------------------------------------------------- */

int drain_new(const struct drain_opts *opts, struct drain **ret_drain, struct diag *ret_diag)
{
	struct drain *d = xcalloc(1, sizeof(*d));
	int r;

	d->opts = *opts;
	d->consumer = *opts->consumer;
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
	free(d);
}

void drain_use_loader(struct drain *d, struct unwind_loader *loader, uint32_t max_user_frames,
		      bool no_fp)
{
	const struct late_samples_opts opts = {
		.loader = loader,
		.max_user_frames = max_user_frames,
		.no_fp = no_fp,
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

uint64_t drain_bytes(const struct drain *d)
{
	return stack_table_bytes(d->stacks) + d->early.cap +
	       (d->late ? late_samples_bytes(d->late) : 0);
}
