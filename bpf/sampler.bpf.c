// SPDX-License-Identifier: GPL-2.0
/*
 * The sampler: on every tick of a perf event it takes the kernel and the user stack of the CPU and
 * counts it.  A stack that is known costs one hash look-up and one atomic add; a new one goes
 * through the ring once, without a wake-up unless its process is new or much is waiting.
 */
#include "maps.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/*
 * In this order: libbpf makes maps as functions name them, and what comes before the ring gives the
 * kernel time to take back the 4 MiB that told it what a slab is like.  Before 5.11 8 MiB may be
 * all there is.
 */
#include "rows.bpf.h"

#include "kernel_stack.bpf.h"

#include "count.bpf.h"
#include "filter.bpf.h"
#include "late.bpf.h"
#include "process.bpf.h"
#include "stack_hash.bpf.h"
#include "take.bpf.h"
#include "variables.bpf.h"
#include "waits.bpf.h"

#include "cgroup.bpf.h"

/* Is it the idle task, halted? */
static __always_inline bool is_idle(struct eddy_scratch *s, struct eddy_counters *c,
				    const struct tick *t)
{
	bool is_on_stack = !(s->ev.flags & EDDY_SAMPLE_OFF_STACK);

	if ((__u32)bpf_get_current_pid_tgid())
		return false;
	s->ev.flags |= EDDY_SAMPLE_IDLE;
	c->idle_task += is_on_stack;
	return !config.keep_idle && is_on_stack && is_halted(t->pc);
}

/* s->ev.turn is set; the sample is idle, filtered, recorded or lost when this returns. */
static __always_inline void sample_take(struct eddy_scratch *s, struct eddy_counters *c, void *ctx,
					const struct tick *t)
{
	const struct task_struct *task = current_task();
	__u64 pid_tgid = current_ids();
	struct subject who;

	COUNT_SAMPLE(c, delivered, s);
	s->ev.flags = t->user_mode ? EDDY_SAMPLE_USER_MODE : 0;
	if (!t->user_mode && t->has_regs && is_off_stack(task, t->sp))
		s->ev.flags |= EDDY_SAMPLE_OFF_STACK;
	if (is_idle(s, c, t)) {
		COUNT_SAMPLE(c, idle, s);
		return;
	}
	bpf_get_current_comm(s->ev.comm, sizeof(s->ev.comm));
	subject_find(s, task, t, &who);
	if ((config.filter && is_filtered(pid_tgid, s->ev.comm)) ||
	    (config.filter & EDDY_FILTER_USER && !who.has_user) ||
	    (config.filter & EDDY_FILTER_KERNEL && t->user_mode)) {
		COUNT_SAMPLE(c, filtered, s);
		return;
	}
	stacks_take(s, c, ctx, t, task, &who, pid_tgid);
	if (config.copy && who.has_user && is_late(s)) {
		REGS_TO_STATE(&s->walk.state, &s->regs);
		eddy_unwind_begin(&s->walk.state, EDDY_ARCH_NATIVE);
		probe_copy_leave(&s->walk);
		if (late_send(s) && config.copy == EDDY_COPY_PENDING) {
			COUNT_SAMPLE(c, recorded, s);
			c->late++;
			return;
		}
	}
	hash_stack(s);
	s->is_counted = false;
	stack_count(s, c);
	if (config.has_times && s->is_counted)
		mark_put(s);
}

/* s->begun_ns is set. */
static __always_inline int sample(struct eddy_scratch *s, void *ctx, const struct tick *t)
{
	__u32 now = *(volatile __u32 *)&turn, which = now % EDDY_NR_TURNS;
	struct eddy_counters *c = bpf_map_lookup_elem(&counters, &which);

	if (!c)
		return 0;
	s->ev.turn = now;
	s->ev.period = config.is_weighed ? t->period : 1;
	if (config.wall)
		wall_sample(s, c, ctx, t);
	else
		sample_take(s, c, ctx, t);
	c->run_ns += bpf_ktime_get_ns() - s->begun_ns;
	return 0;
}

SEC("perf_event")
int eddy_perf_event(struct bpf_perf_event_data *ctx)
{
	struct tick t = {
		.period = config.is_weighed ? ctx->sample_period : 1,
		.pc = REGS_PC(&ctx->regs),
		.sp = REGS_SP(&ctx->regs),
		.fp = REGS_FP(&ctx->regs),
		.user_mode = REGS_USER_MODE(&ctx->regs),
		.has_regs = REGS_OF_CPU(&ctx->regs),
	};
	__u64 begun_ns = bpf_ktime_get_ns();
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);

	if (!s)
		return 0;
	s->begun_ns = begun_ns;
	if (t.user_mode)
		REGS_COPY(&s->regs, &ctx->regs);
	return sample(s, ctx, &t);
}

/* Every n-th hit of a tracepoint; it fires on all CPUs, whatever CPU its event was opened on. */
SEC("tracepoint")
int eddy_tracepoint(void *ctx)
{
	struct tick t = { 0 };
	__u32 zero = 0;
	__u64 *nr = bpf_map_lookup_elem(&hits, &zero);
	struct eddy_scratch *s;

	if (!nr || ++*nr % config.period)
		return 0;
	s = bpf_map_lookup_elem(&scratch, &zero);
	if (!s)
		return 0;
	s->begun_ns = bpf_ktime_get_ns();
	return sample(s, ctx, &t);
}
