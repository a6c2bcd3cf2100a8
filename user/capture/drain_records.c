// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes out of the ring, by kind; and what waits, while the turn before is closed. */
#include "capture/drain_records.h"

#include <errno.h>

#include "capture/marks.h"

static void hand_over(struct drain *d, uint32_t tag, uint64_t samples, uint64_t weight)
{
	if (!samples)
		return;
	d->totals.kept += samples;
	d->totals.weight_kept += weight;
	d->consumer.count(d->consumer.ctx, tag, samples, weight);
}

void drain_hand_over_key(struct drain *d, const struct eddy_stack_key *key, uint32_t tag,
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

const struct stack_entry *drain_find_stack(const struct drain *d, const struct eddy_stack_key *key)
{
	struct eddy_stack_key own = *key;

	if (d->opts.waits)
		own.hash[1] &= ~EDDY_WAIT_BITS;
	return stack_table_find(d->stacks, &own);
}

void drain_lose(struct drain *d, uint64_t samples, uint64_t weight)
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

void drain_on_late(void *ctx, const struct eddy_stack_event *ev)
{
	on_stack(ctx, ev);
}

static void on_spill(struct drain *d, const struct eddy_spill_event *ev)
{
	const struct stack_entry *e = drain_find_stack(d, &ev->key);

	if (!e) {
		drain_lose(d, ev->samples, ev->samples * ev->period);
		return;
	}
	drain_hand_over_key(d, &ev->key, e->tag, ev->samples, ev->samples * ev->period);
	tell_time(d, e->tag, ev->time_ns, ev->samples * ev->period);
}

void drain_on_mark(void *ctx, const struct eddy_mark *mark)
{
	struct drain *d = ctx;
	const struct stack_entry *e = drain_find_stack(d, &mark->key);

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
		marks_each(data, bytes, drain_on_mark, d);
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
		return d->early.len > 0;
	}
	return false;
}

void drain_on_early(void *ctx, const void *data, size_t bytes)
{
	on_event(ctx, data, bytes);
}

int drain_on_record(void *ctx, void *data, size_t bytes)
{
	struct drain *d = ctx;

	if (d->is_closing && is_early(d, data))
		early_records_put(&d->early, data, bytes);
	else
		on_event(d, data, bytes);
	/* A record has a header of 8 bytes and is padded to 8. */
	d->ring_taken += (bytes + 15) / 8 * 8;
	return d->ring_taken < d->ring_most ? 0 : -EAGAIN;
}
