/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a drain is made of, for the files that are one: drain.c, drain_records.c. */
#ifndef EDDY_CAPTURE_DRAIN_RECORDS_H
#define EDDY_CAPTURE_DRAIN_RECORDS_H

#include "capture/counts.h"
#include "capture/drain.h"
#include "capture/early_records.h"
#include "capture/late_samples.h"
#include "capture/marks.h"
#include "capture/stack_table.h"
#include "capture/unwind_loader.h"

struct drain {
	struct drain_opts opts;
	struct sampler_consumer consumer;
	struct ring_buffer *ring;
	struct counts *counts;
	struct stack_table *stacks;
	struct unwind_loader *loader; /* NULL: stacks are walked by frame pointer only */
	struct late_samples *late;    /* NULL: the same */
	bool is_closing;	      /* a turn; records of the next one wait in `early` */
	struct early_records early;
	uint64_t ring_taken; /* bytes, by the call that goes on */
	uint64_t ring_most;  /* it ends behind so many */
	size_t nr_tags;	     /* since they were forgotten */
	struct drain_totals totals;
	struct drain_cpu *cpus; /* nr_cpus: all that are possible */
	int nr_cpus;
};

/* A count of the map: of samples, or of waits, whose state stands in the key. */
void drain_hand_over_key(struct drain *d, const struct eddy_stack_key *key, uint32_t tag,
			 uint64_t samples, uint64_t weight);
/* What user space knows of the stack that a count belongs to. */
const struct stack_entry *drain_find_stack(const struct drain *d, const struct eddy_stack_key *key);
/* Counts samples whose stack is not known, and will not be. */
void drain_lose(struct drain *d, uint64_t samples, uint64_t weight);

/* A record of the ring; ctx: the drain.  -EAGAIN: enough for this call. */
int drain_on_record(void *ctx, void *data, size_t bytes);
/* One that waited, a late sample that was walked, and when a sample was taken; ctx as before. */
void drain_on_early(void *ctx, const void *data, size_t bytes);
void drain_on_late(void *ctx, const struct eddy_stack_event *ev);
/*
 * A stack that is not known has lost its samples, or will be sent again: then they are kept, and
 * have no time.
 */
void drain_on_mark(void *ctx, const struct eddy_mark *mark);

#endif
