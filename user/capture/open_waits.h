/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits that go on when the window ends: the BPF program charges a wait when it ends, so the part
 * of these that lies in the window is charged here, by the same rules (bpf/waits.bpf.h).
 */
#ifndef EDDY_CAPTURE_OPEN_WAITS_H
#define EDDY_CAPTURE_OPEN_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "wait_abi.h"

struct open_waits_opts {
	int waiters_fd;			       /* of the sampler's map; stays the caller's */
	const struct eddy_wait_window *window; /* the sampler's variable */
	uint64_t min_wait_ns;
	bool is_wall; /* time on CPUs too, that no sample was charged with */
};

/* Parts of waits, and how long they were. */
struct open_waits {
	uint64_t waits, ns;	     /* handed over */
	uint64_t idle, idle_ns;	     /* of kernel threads that wait for work */
	uint64_t filtered, short_ns; /* shorter than min_wait_ns */
};

/* A part; its state stands in the key, as in the counts map. */
typedef void (*open_wait_fn)(void *ctx, const struct eddy_stack_key *key, uint64_t ns);

/*
 * All waits that are open when no program runs any more, up to window->end_ns.  The callback counts
 * `waits` and `ns`; the rest is added to *open here.
 */
void open_waits_take(const struct open_waits_opts *opts, open_wait_fn part, void *ctx,
		     struct open_waits *open);

#endif
