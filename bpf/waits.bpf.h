/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting threads.  When a thread is switched out, its stacks are taken (it is still current, and
 * its memory is loaded) and their key goes into its element of the map `waiters`; when it is woken,
 * so does the time; when it is switched in, the wait is charged to the key in one or two counts.
 *
 *	sched_switch   of who goes: stacks, key, state, time;  of who comes: charged
 *	sched_wakeup   no longer blocked, but runnable
 *
 * sched_switch runs with interrupts off under the lock of the CPU's run queue, sched_wakeup under
 * the same lock: both see one thread in order, and neither is interrupted by programs on perf
 * events, so they may use `scratch` too (NMIs are: hardware events are not taken along with this).
 * sched_waking would be earlier, but is not ordered with the switching out.
 */
#ifndef EDDY_WAITS_BPF_H
#define EDDY_WAITS_BPF_H

#include "count.bpf.h"
#include "filter.bpf.h"
#include "late.bpf.h"
#include "stack_hash.bpf.h"
#include "take.bpf.h"
#include "wait_abi.h"
#include "wait_charge.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* include/linux/sched.h; the same since 4.14, but for __state's name and type. */
#define TASK_INTERRUPTIBLE   0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_STOPPED	     0x0004
#define TASK_TRACED	     0x0008
#define EXIT_DEAD	     0x0010
#define EXIT_ZOMBIE	     0x0020
#define TASK_DEAD	     0x0080
#define TASK_NOLOAD	     0x0400

static __always_inline __u32 task_state(const struct task_struct *task)
{
	const struct task_struct___before_5_14 *before = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return BPF_CORE_READ(task, __state);
	return BPF_CORE_READ(before, state);
}

/* How a thread in such a state waits, not being runnable. */
static __always_inline __u32 blocked_state(const struct task_struct *task, __u32 state)
{
	if (state & (TASK_STOPPED | TASK_TRACED))
		return EDDY_WAIT_STOPPED;
	if (!(state & TASK_UNINTERRUPTIBLE) || state & (TASK_INTERRUPTIBLE | TASK_NOLOAD))
		return EDDY_WAIT_SLEEP;
	return BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait) ? EDDY_WAIT_IO : EDDY_WAIT_DISK;
}

/* ---- stacks ------------------------------------------------------------------------------- */

static __always_inline void key_make(struct eddy_scratch *s)
{
	hash_stack(s);
	s->ev.key.hash[1] &= ~EDDY_WAIT_BITS;
}

/* The stack behind s->ev.key is told to user space, once in a turn. */
static __always_inline void stack_define(struct eddy_scratch *s, struct eddy_counters *c)
{
	struct eddy_count v = { .check = s->ev.check };
	__u32 which = s->ev.turn % EDDY_NR_TURNS;
	void *counts = bpf_map_lookup_elem(&active, &which);
	struct eddy_count *have;

	if (!counts)
		return;
	have = bpf_map_lookup_elem(counts, &s->ev.key);
	if (have) {
		if (have->check != s->ev.check)
			c->hash_conflicts++;
		if (!have->sent)
			have->sent = stack_send(s, 0);
		return;
	}
	v.sent = stack_send(s, 0);
	if (v.sent == SENT_NOT)
		c->ring_retries++;
	bpf_map_update_elem(counts, &s->ev.key, &v, BPF_NOEXIST);
}

/* ---- who ---------------------------------------------------------------------------------- */

/* Is the task under the cgroup that is asked for?  For those that are not current. */
static __always_inline bool is_under_cgroup(const struct task_struct *task)
{
	const struct cgroup *group = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	int i;

	for (i = 0; i < 32 && group; i++) {
		if (BPF_CORE_READ(group, kn, id) == config.cgroup)
			return true;
		group = (void *)BPF_CORE_READ(group, self.parent);
		if (group)
			group = (void *)group - bpf_core_field_offset(struct cgroup, self);
	}
	return false;
}

/* Sets s->ev for a task that is not current; false when it is not asked for. */
static __always_inline bool other_identify(struct eddy_scratch *s, const struct task_struct *task)
{
	__u32 id = task_tgid(task);

	if (config.filter & EDDY_FILTER_PID && !bpf_map_lookup_elem(&tasks, &id))
		return false;
	s->ev.pid = id;
	id = task_tid(task);
	if (config.filter & EDDY_FILTER_TID && !bpf_map_lookup_elem(&tasks, &id))
		return false;
	bpf_probe_read_kernel(s->ev.comm, sizeof(s->ev.comm), task->comm);
	if (config.filter & EDDY_FILTER_COMM)
		for (int i = 0; i < EDDY_COMM_BYTES; i++) {
			if (s->ev.comm[i] != config.comm[i])
				return false;
			if (!s->ev.comm[i])
				break;
		}
	if (config.filter & EDDY_FILTER_CGROUP && !is_under_cgroup(task))
		return false;
	s->ev.flags = config.pid_space && !s->ev.pid ? EDDY_SAMPLE_HIDDEN : 0;
	s->ev.tid = config.identity & EDDY_IDENTITY_TID ? id : 0;
	if (!(config.identity & EDDY_IDENTITY_PID))
		s->ev.pid = 0;
	s->ev.cpu = 0;
	s->ev.cgroup = config.identity & EDDY_IDENTITY_CGROUP
			       ? BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id)
			       : 0;
	if (config.identity & EDDY_IDENTITY_PROGRAM)
		program_read(s->ev.program, BPF_CORE_READ(task, group_leader));
	s->ev.module_seq = text.module_seq;
	s->ev.started_ms =
		s->ev.pid ? BPF_CORE_READ(task, group_leader, start_boottime) / 1000000 : 0;
	s->ev.exec_id = s->ev.pid ? BPF_CORE_READ(task, self_exec_id) : 0;
	s->ev.nr_kernel = 0;
	s->ev.nr_user = 0;
	return true;
}

/* The thread begins to wait at s->ev.key: s->waiter is set but for that. */
static __always_inline void waiter_put(struct eddy_scratch *s, struct eddy_counters *c, __u32 tid,
				       struct eddy_waiter *have)
{
	s->waiter.key = s->ev.key;
	s->waiter.check = s->ev.check;
	if (have) {
		if (have->started_ns != s->waiter.started_ns)
			__atomic_fetch_add(&c->waiters, 1, __ATOMIC_RELAXED);
		*have = s->waiter;
	} else if (bpf_map_update_elem(&waiters, &tid, &s->waiter, BPF_NOEXIST)) {
		__atomic_fetch_add(&c->unfollowed, 1, __ATOMIC_RELAXED);
	} else {
		__atomic_fetch_add(&c->waiters, 1, __ATOMIC_RELAXED);
	}
}

/* ---- switching out ------------------------------------------------------------------------ */

/* How the thread that goes will wait; EDDY_NR_WAITS: it ends. */
static __always_inline __u32 leaving_state(const unsigned long long *ctx, bool preempt,
					   const struct task_struct *prev)
{
	__u32 now = task_state(prev), state = config.has_prev_state ? ctx[3] : now;

	if (state & (TASK_DEAD | EXIT_DEAD | EXIT_ZOMBIE))
		return EDDY_NR_WAITS;
	if (preempt)
		return EDDY_WAIT_PREEMPTED;
	/* Without being told: somebody may be about to wake it, and have changed its state. */
	if (!config.has_prev_state)
		return prev->on_rq ? EDDY_WAIT_PREEMPTED : blocked_state(prev, state);
	/* A signal was pending: it is not blocked after all. */
	if (!state || (!now && prev->on_rq))
		return EDDY_WAIT_PREEMPTED;
	return blocked_state(prev, state);
}

/*
 * A stack that ended at a file without its table goes with a copy of its memory, under a key of its
 * own: what will be found is not known yet.
 */
static __always_inline bool stack_wait_for_table(struct eddy_scratch *s, struct eddy_counters *c,
						 const struct subject *who, __u32 tid, __u64 now_ns)
{
	if (!config.copy || !who->has_user || !is_late(s))
		return false;
	s->ev.key.hash[0] ^= now_ns;
	s->ev.key.hash[1] ^= (__u64)tid << 8;
	REGS_TO_STATE(&s->walk.state, &s->regs);
	eddy_unwind_begin(&s->walk.state, EDDY_ARCH_NATIVE);
	probe_copy_leave(&s->walk);
	if (!late_send(s))
		return false;
	c->late++;
	return true;
}

/* The thread ends, or is not asked for any more. */
static __always_inline void waiter_end(struct eddy_scratch *s, struct eddy_counters *c, __u32 tid,
				       __u64 now_ns)
{
	struct eddy_waiter *w = bpf_map_lookup_elem(&waiters, &tid);
	__u64 ns;

	if (config.wall && w) {
		ns = eddy_on_cpu(w, wait_window.begin_ns, now_ns);
		eddy_on_cpu_key(w, &s->spill.key);
		if (ns)
			key_charge(s, c, ns);
	}
	bpf_map_delete_elem(&waiters, &tid);
}

/* What the thread has run is kept for its next sample. */
static __always_inline void on_cpu_carry(struct eddy_scratch *s, const struct eddy_waiter *have,
					 __u64 started_ns, __u64 now_ns)
{
	s->waiter.on_ns = 0;
	s->waiter.carry_ns = 0;
	s->waiter.has_sample = 0;
	if (!config.wall || !have || have->started_ns != started_ns)
		return;
	s->waiter.carry_ns = eddy_on_cpu(have, wait_window.begin_ns, now_ns);
	s->waiter.has_sample = have->has_sample;
	s->waiter.sample = have->sample;
}

static __always_inline void switch_out(unsigned long long *ctx, struct eddy_scratch *s,
				       struct eddy_counters *c, const struct task_struct *prev,
				       bool preempt, __u64 now_ns)
{
	struct tick t = { 0 };
	const struct task_struct *task = current_task();
	__u32 tid = prev->pid, state = leaving_state(ctx, preempt, prev);
	struct eddy_waiter *have = bpf_map_lookup_elem(&waiters, &tid);
	__u64 ids = current_ids();
	struct subject who;

	if (state == EDDY_NR_WAITS) {
		if (have)
			waiter_end(s, c, tid, now_ns);
		return;
	}
	s->ev.flags = 0;
	bpf_get_current_comm(s->ev.comm, sizeof(s->ev.comm));
	subject_find(s, task, &t, &who);
	if ((config.filter && is_filtered(ids, s->ev.comm)) ||
	    (config.filter & EDDY_FILTER_USER && !who.has_user)) {
		if (have)
			waiter_end(s, c, tid, now_ns);
		return;
	}
	c->switches++;
	stacks_take(s, c, ctx, &t, task, &who, ids);
	key_make(s);
	if (!stack_wait_for_table(s, c, &who, tid, now_ns))
		stack_define(s, c);
	s->waiter.since_ns = now_ns;
	s->waiter.woken_ns = 0;
	s->waiter.started_ns = prev->start_time;
	s->waiter.ran_ns = prev->se.sum_exec_runtime;
	on_cpu_carry(s, have, prev->start_time, now_ns);
	s->waiter.state = state;
	s->waiter.is_idle = who.is_kthread && !config.keep_idle && state == EDDY_WAIT_SLEEP;
	waiter_put(s, c, tid, have);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(eddy_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now_ns = bpf_ktime_get_ns(), end_ns = wait_window.end_ns;
	__u32 zero = 0, now = *(volatile __u32 *)&turn, which = now % EDDY_NR_TURNS;
	struct eddy_counters *c = bpf_map_lookup_elem(&counters, &which);
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);

	if (!c || !s || (end_ns && now_ns >= end_ns))
		return 0;
	s->ev.turn = now;
	s->spill.turn = now;
	if (next->pid)
		waiter_charge(next->pid, now_ns, next->se.sum_exec_runtime, false);
	waiter_leave(prev->pid, now_ns, prev->se.sum_exec_runtime, prev->start_time);
	if (prev->pid)
		switch_out(ctx, s, c, prev, preempt, now_ns);
	c->run_ns += bpf_ktime_get_ns() - now_ns;
	return 0;
}

/* ---- time on CPUs ------------------------------------------------------------------------- */

/* A tick: what the thread has run since its last sample is charged to the stack of this one. */
static __always_inline void wall_sample(struct eddy_scratch *s, struct eddy_counters *c, void *ctx,
					const struct tick *t)
{
	const struct task_struct *task = current_task();
	__u64 begin_ns = wait_window.begin_ns, end_ns = wait_window.end_ns, ns;
	__u32 tid = bpf_get_current_pid_tgid();
	struct eddy_waiter *w = bpf_map_lookup_elem(&waiters, &tid);
	struct subject who;

	if (!tid || !w || !begin_ns || (end_ns && s->begun_ns >= end_ns))
		return;
	s->ev.flags = t->user_mode ? EDDY_SAMPLE_USER_MODE : 0;
	if (!t->user_mode && t->has_regs && is_off_stack(task, t->sp))
		s->ev.flags |= EDDY_SAMPLE_OFF_STACK;
	bpf_get_current_comm(s->ev.comm, sizeof(s->ev.comm));
	subject_find(s, task, t, &who);
	ns = eddy_on_cpu(w, begin_ns, s->begun_ns);
	stacks_take(s, c, ctx, t, task, &who, current_ids());
	key_make(s);
	if (!stack_wait_for_table(s, c, &who, tid, s->begun_ns))
		stack_define(s, c);
	w->sample = s->ev.key;
	w->has_sample = 1;
	w->carry_ns = 0;
	w->on_ns = s->begun_ns;
	s->spill.turn = s->ev.turn;
	eddy_on_cpu_key(w, &s->spill.key);
	if (ns)
		key_charge(s, c, ns);
}

/* ---- waking ------------------------------------------------------------------------------- */

SEC("tp_btf/sched_wakeup")
int BPF_PROG(eddy_wakeup, struct task_struct *task)
{
	__u64 now_ns = bpf_ktime_get_ns(), end_ns = wait_window.end_ns;
	__u32 tid = task->pid;
	struct eddy_waiter *w = bpf_map_lookup_elem(&waiters, &tid);

	if (w && w->state && w->state < EDDY_WAIT_RUNQUEUE && !w->woken_ns &&
	    !(end_ns && now_ns >= end_ns))
		w->woken_ns = now_ns;
	return 0;
}

/* A new thread waits for a CPU, and has no stack yet. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(eddy_wakeup_new, struct task_struct *task)
{
	__u64 now_ns = bpf_ktime_get_ns(), end_ns = wait_window.end_ns;
	__u32 zero = 0, now = *(volatile __u32 *)&turn, which = now % EDDY_NR_TURNS;
	struct eddy_counters *c = bpf_map_lookup_elem(&counters, &which);
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	__u32 tid = task->pid;

	if (!c || !s || (end_ns && now_ns >= end_ns) || !other_identify(s, task))
		return 0;
	s->ev.turn = now;
	s->ev.user_end = task->flags & PF_KTHREAD ? EDDY_END_KTHREAD : EDDY_END_EXIT;
	key_make(s);
	stack_define(s, c);
	s->waiter.since_ns = now_ns;
	s->waiter.woken_ns = 0;
	s->waiter.started_ns = task->start_time;
	s->waiter.ran_ns = task->se.sum_exec_runtime;
	on_cpu_carry(s, NULL, 0, 0);
	s->waiter.state = EDDY_WAIT_RUNQUEUE;
	s->waiter.is_idle = 0;
	waiter_put(s, c, tid, bpf_map_lookup_elem(&waiters, &tid));
	return 0;
}

/* ---- threads that wait already ------------------------------------------------------------ */

static __always_inline void seed_runs(__u32 tid, __u64 since_ns)
{
	struct eddy_waiter *w = bpf_map_lookup_elem(&waiters, &tid);

	if (w && w->since_ns == since_ns)
		w->state = EDDY_WAIT_NONE;
}

/*
 * Run once by user space, when the programs above are attached and before the window begins: every
 * thread that is not running and was not switched out meanwhile.  Its kernel stack can be read, its
 * memory cannot.
 */
SEC("iter/task")
int eddy_seed(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u32 zero = 0, now = *(volatile __u32 *)&turn, which = now % EDDY_NR_TURNS, tid, state;
	struct eddy_counters *c = bpf_map_lookup_elem(&counters, &which);
	struct eddy_scratch *s = bpf_map_lookup_elem(&seed_scratch, &zero);
	bool is_running;
	long bytes, err;

	if (!task || !c || !s)
		return 0;
	tid = task->pid;
	state = task_state(task);
	is_running = task->on_cpu;
	if (!tid || state & (TASK_DEAD | EXIT_DEAD | EXIT_ZOMBIE) || (is_running && !config.wall) ||
	    bpf_map_lookup_elem(&waiters, &tid) || !other_identify(s, task))
		return 0;
	if (config.filter & EDDY_FILTER_USER && !task->mm)
		return 0;
	s->ev.turn = now;
	s->ev.user_end = task->flags & PF_KTHREAD ? EDDY_END_KTHREAD : EDDY_END_UNSEEN;
	if (task->flags & PF_KTHREAD)
		s->ev.flags |= EDDY_SAMPLE_KTHREAD;
	if (!(config.filter & EDDY_FILTER_USER) && !is_running) {
		bytes = bpf_get_task_stack(task, s->frames, EDDY_MAX_KERNEL_FRAMES * sizeof(__u64),
					   0);
		if (bytes > 0)
			s->ev.nr_kernel = (__u64)bytes / sizeof(__u64);
	}
	key_make(s);
	stack_define(s, c);
	s->waiter.since_ns = bpf_ktime_get_ns();
	s->waiter.woken_ns = 0;
	s->waiter.started_ns = task->start_time;
	s->waiter.ran_ns = task->se.sum_exec_runtime;
	on_cpu_carry(s, NULL, 0, 0);
	s->waiter.on_ns = s->waiter.since_ns;
	s->waiter.key = s->ev.key;
	s->waiter.check = s->ev.check;
	s->waiter.state = is_running ? EDDY_WAIT_NONE
			  : state    ? blocked_state(task, state)
				     : EDDY_WAIT_PREEMPTED;
	s->waiter.is_idle =
		task->flags & PF_KTHREAD && !config.keep_idle && s->waiter.state == EDDY_WAIT_SLEEP;
	err = bpf_map_update_elem(&waiters, &tid, &s->waiter, BPF_NOEXIST);
	if (err == -EEXIST)
		return 0; /* it was switched out meanwhile, and seen */
	__atomic_fetch_add(err ? &c->unfollowed : &c->waiters, 1, __ATOMIC_RELAXED);
	/* Switched in meanwhile, when it could not be seen who it is. */
	if (!err && !is_running && task->on_cpu)
		seed_runs(tid, s->waiter.since_ns);
	return 0;
}

#endif
