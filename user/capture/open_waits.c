// SPDX-License-Identifier: GPL-2.0-or-later
/* Key by key: on kernels before 5.6 a hash cannot be read in batches, and this is done once. */
#include "capture/open_waits.h"

#include <bpf/bpf.h>

static void take_part(const struct eddy_waiter *w, uint32_t state, uint64_t ns, open_wait_fn part,
		      void *ctx)
{
	struct eddy_stack_key key = w->key;

	key.hash[1] |= state;
	if (ns)
		part(ctx, &key, ns);
}

static void take_on_cpu(const struct open_waits_opts *opts, const struct eddy_waiter *w,
			open_wait_fn part, void *ctx)
{
	uint64_t ns = eddy_on_cpu(w, opts->window->begin_ns, opts->window->end_ns);
	struct eddy_stack_key key;

	eddy_on_cpu_key(w, &key);
	if (ns)
		part(ctx, &key, ns);
}

static void take_wait(const struct open_waits_opts *opts, const struct eddy_waiter *w,
		      open_wait_fn part, void *ctx, struct open_waits *open)
{
	struct eddy_wait_parts p;

	if (opts->is_wall)
		take_on_cpu(opts, w, part, ctx);
	if (w->state == EDDY_WAIT_NONE)
		return;
	eddy_wait_split(w, opts->window->begin_ns, opts->window->end_ns, &p);
	if (w->is_idle && p.blocked_ns) {
		open->idle++;
		open->idle_ns += p.blocked_ns;
		p.blocked_ns = 0;
	}
	if (p.blocked_ns + p.runnable_ns < opts->min_wait_ns) {
		open->filtered++;
		open->short_ns += p.blocked_ns + p.runnable_ns;
		return;
	}
	take_part(w, p.blocked, p.blocked_ns, part, ctx);
	take_part(w, p.runnable, p.runnable_ns, part, ctx);
}

void open_waits_take(const struct open_waits_opts *opts, open_wait_fn part, void *ctx,
		     struct open_waits *open)
{
	uint32_t key, *at = NULL;
	struct eddy_waiter w;

	while (!bpf_map_get_next_key(opts->waiters_fd, at, &key)) {
		if (!bpf_map_lookup_elem(opts->waiters_fd, &key, &w))
			take_wait(opts, &w, part, ctx, open);
		at = &key;
	}
}
