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
#include "capture/drain_records.h"
#include "capture/late_samples.h"
#include "capture/marks.h"
#include "capture/open_waits.h"
#include "capture/stack_table.h"
#include "capture/turn_counters.h"
#include "util/clock.h"
#include "util/mem.h"

#define RING_PARTS    16
#define TABLE_WAIT_NS 100000000ull /* of samples at a window's end, for tables being made */

static int ring_take(struct drain *d, uint64_t most)
{
	int nr;

	if (!d->is_closing)
		early_records_take(&d->early, drain_on_early, d);
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
	const struct stack_entry *e = drain_find_stack(d, key);
	uint64_t weight = d->opts.is_weighed ? count->weight : count->count;

	if (!count->count)
		return; /* a stack at which nobody's wait has ended yet */
	if (e)
		drain_hand_over_key(d, key, e->tag, count->count, weight);
	else
		drain_lose(d, count->count, weight);
}

static int take_counters(struct drain *d, uint32_t turn)
{
	return turn_counters_take(&(struct turn_counters){ d->opts.counters_fd, d->nr_cpus }, turn,
				  &d->totals.counters, d->cpus);
}

void drain_get_counters(const struct drain *d, struct eddy_counters *ret_counters)
{
	*ret_counters = d->totals.counters;
	turn_counters_add_all(&(struct turn_counters){ d->opts.counters_fd, d->nr_cpus },
			      ret_counters);
}

static void take_open_wait(void *ctx, const struct eddy_stack_key *key, uint64_t ns)
{
	struct drain *d = ctx;
	const struct stack_entry *e = drain_find_stack(d, key);

	d->totals.open.waits++;
	d->totals.open.ns += ns;
	if (e)
		drain_hand_over_key(d, key, e->tag, 1, ns);
	else
		drain_lose(d, 1, ns);
}

static int take_turn(struct drain *d, uint32_t turn)
{
	int r = counts_take(d->counts, turn, take_count, d);

	if (r >= 0 && d->opts.has_times)
		r = marks_take(d->opts.marks_fd, turn, d->nr_cpus, drain_on_mark, d);
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

static bool is_to_come(const struct drain *d)
{
	return late_samples_nr(d->late) && d->early.len < d->opts.ring_bytes &&
	       (unwind_loader_is_busy(d->loader) || late_samples_are_busy(d->late));
}

/* The last samples may have asked for mappings and tables: they get a moment to come. */
static void late_finish(struct drain *d)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + TABLE_WAIT_NS;

	drain_ring(d);
	if (!d->late)
		return;
	late_samples_hurry(d->late);
	while (is_to_come(d) && clock_ns(CLOCK_MONOTONIC) < until) {
		nanosleep(&pause, NULL);
		drain_ring(d);
		late_samples_hurry(d->late);
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
		d->ring = ring_buffer__new(opts->ring_fd, drain_on_record, d, NULL);
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
	early_records_deinit(&d->early);
	free(d->cpus);
	free(d);
}

int drain_use_loader(struct drain *d, struct unwind_loader *loader, uint32_t max_user_frames,
		     bool no_fp)
{
	const struct late_samples_opts opts = {
		.loader = loader,
		.pool = unwind_loader_pool(loader),
		.max_user_frames = max_user_frames,
		.no_fp = no_fp,
		.begun_ns = d->opts.begun_ns,
		.on_sample = drain_on_late,
		.ctx = d,
	};

	d->loader = loader;
	return late_samples_new(&opts, &d->late);
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
	return stack_table_bytes(d->stacks) + early_records_bytes(&d->early) +
	       (d->late ? late_samples_bytes(d->late) : 0);
}
