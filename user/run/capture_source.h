/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a capture consists of, made from its options and tied together: the sampler hands stacks to
 * the collector, which asks the symbolizer for their names.
 */
#ifndef EDDY_RUN_CAPTURE_SOURCE_H
#define EDDY_RUN_CAPTURE_SOURCE_H

#include <pthread.h>
#include <stdbool.h>

#include "capture/kernel_text.h"
#include "capture/sampler.h"
#include "run/capture_request.h"
#include "run/naming.h"
#include "collect/collector.h"
#include "util/diag.h"

/*
 * Of windows without end: what is kept from one to the next (names, symbol tables, processes).  The
 * window's own stacks and about 12 MiB that are always there come on top.
 */
#define CAPTURE_CACHE_BYTES (32ull << 20)

struct capture_source {
	const struct capture_request *request;
	struct capture_event event;
	struct capture_rate rate;   /* as it was asked for, until somebody sets another one */
	struct frame_table *frames; /* until the collector has it */
	struct symbolizer *symbolizer;
	struct collector *collector;
	struct naming *naming; /* has the two before it, once sampling begins */
	struct sampler *sampler;
	struct worker_pool *pool;	 /* reads files and mappings of others, for both of them */
	struct kernel_text *kernel_text; /* NULL: nobody listens */
	pthread_t preparation; /* makes the symbolizer and the collector while BPF is loaded */
	bool is_preparing;
	bool is_urgent;
};

/*
 * Checks and loads everything, in a hurry that is not over when it returns; nothing is sampled yet.
 * *s is all zero and must not move, for the
 * sampler calls back with it; *request stays as long.  0 or -errno with a diag; either way
 * capture_source_deinit() it.
 */
int capture_source_open(struct capture_source *s, const struct capture_request *request,
			struct diag *ret_diag);
void capture_source_deinit(struct capture_source *s); /* a hurry goes on */

/*
 * Where the machine is crowded, this thread and the processes that read files come first for a
 * while (util/priority.h).  Both may be called at any time, by the thread that opened it.
 */
void capture_source_hurry(struct capture_source *s);
void capture_source_relax(struct capture_source *s);

#endif
