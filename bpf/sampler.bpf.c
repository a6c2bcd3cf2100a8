// SPDX-License-Identifier: GPL-2.0
/*
 * The sampler: on every tick of a perf event it takes the kernel and the user stack of the CPU and
 * counts it.  A stack that is known costs one hash look-up and one atomic add; a new one goes
 * through the ring once, without a wake-up unless its process is new or much is waiting.
 */
#include "maps.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "kernel_stack.bpf.h"
#include "process.bpf.h"
#include "regs.bpf.h"
#include "unwind.bpf.h"

#define PF_KTHREAD 0x00200000

/* Written by user space before sampling starts. */
struct eddy_idle idle;

/* Raised by user space to end a window: read once by each program, see include/sampler_abi.h. */
__u32 turn;

enum { SENT_NOT, SENT_YES };

static __always_inline void hash_add(__u64 hash[2], __u32 *check, __u64 v)
{
	hash[0] = (hash[0] ^ v) * 0x9e3779b97f4a7c15ull;
	hash[0] = hash[0] << 32 | hash[0] >> 32;
	hash[1] = (hash[1] + v) * 0xc2b2ae3d27d4eb4full;
	hash[1] = hash[1] << 29 | hash[1] >> 35;
	*check = *check * 31 + (__u32)(v ^ v >> 32);
}

static __always_inline __u64 hash_finish(__u64 h)
{
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdull;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53ull;
	return h ^ h >> 33;
}

/* Everything that makes this stack different from another; sets ev.key and ev.check. */
static __always_inline void hash_stack(struct eddy_scratch *s)
{
	struct eddy_stack_event *ev = &s->ev;
	__u64 hash[2] = { config.seed, ~config.seed };
	__u32 nr = (__u32)ev->nr_kernel + ev->nr_user;
	__u32 check = 0;
	__u32 i;

	hash_add(hash, &check, (__u64)ev->pid << 32 | ev->tid);
	hash_add(hash, &check,
		 (__u64)ev->cpu << 32 | (__u32)ev->nr_kernel << 16 | ev->flags << 8 | ev->user_end);
	hash_add(hash, &check, ev->cgroup);
	if (ev->pid)
		hash_add(hash, &check, ev->started_ms);
	hash_add(hash, &check, *(__u64 *)&ev->comm[0]);
	hash_add(hash, &check, *(__u64 *)&ev->comm[8]);
	for (i = 0; i < EDDY_MAX_FRAMES; i++) {
		if (i >= nr)
			break;
		hash_add(hash, &check, s->frames[i]);
	}
	ev->key.hash[0] = hash_finish(hash[0]);
	ev->key.hash[1] = hash_finish(hash[1]);
	ev->check = check;
}

static __always_inline __u64 wake_flags(__u32 pid)
{
	if (pid && seen[pid % NR_SEEN] != pid) {
		seen[pid % NR_SEEN] = pid;
		return BPF_RB_FORCE_WAKEUP;
	}
	if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > config.wake_bytes)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

/* Sends the stack itself; weight 1 counts the sample there and nowhere else. */
static __always_inline int stack_send(struct eddy_scratch *s, __u32 weight)
{
	__u32 nr = (__u32)s->ev.nr_kernel + s->ev.nr_user;
	__u64 bytes;

	if (nr > EDDY_MAX_FRAMES)
		nr = EDDY_MAX_FRAMES;
	bytes = sizeof(s->ev) + nr * sizeof(__u64);
	s->ev.type = EDDY_EVENT_STACK;
	s->ev.weight = weight;
	s->ev.time_ns = bpf_ktime_get_ns();
	return bpf_ringbuf_output(&ring, &s->ev, bytes, wake_flags(s->ev.pid)) ? SENT_NOT
									       : SENT_YES;
}

/* The map had no room: the sample goes through the ring, with its stack or with its hash alone. */
static __always_inline void stack_spill(struct eddy_scratch *s, struct eddy_counters *c, bool known,
					bool full)
{
	int err;

	if (known) {
		struct eddy_spill_event ev = {
			.type = EDDY_EVENT_SPILL,
			.weight = 1,
			.key = s->ev.key,
			.turn = s->ev.turn,
		};

		err = bpf_ringbuf_output(&ring, &ev, sizeof(ev), BPF_RB_NO_WAKEUP);
	} else {
		err = stack_send(s, 1) == SENT_NOT;
	}
	if (!err) {
		c->kept++;
		c->spilled++;
	} else if (full) {
		c->lost_map_full++;
	} else {
		c->lost_map_busy++;
	}
}

/* One atomic add for a stack that is known. */
static __always_inline bool stack_add(struct eddy_scratch *s, struct eddy_counters *c, void *counts)
{
	struct eddy_count *v = bpf_map_lookup_elem(counts, &s->ev.key);

	if (!v)
		return false;
	if (v->check != s->ev.check) {
		c->hash_conflicts++;
		stack_spill(s, c, false, false);
		return true;
	}
	__sync_fetch_and_add(&v->count, 1);
	c->kept++;
	if (!v->sent)
		v->sent = stack_send(s, 0);
	return true;
}

static __always_inline void stack_count(struct eddy_scratch *s, struct eddy_counters *c)
{
	struct eddy_count v = { .count = 1, .check = s->ev.check };
	__u32 which = s->ev.turn % EDDY_NR_TURNS;
	void *counts = bpf_map_lookup_elem(&active, &which);
	long err;

	if (!counts) {
		stack_spill(s, c, false, false);
		return;
	}
	if (stack_add(s, c, counts))
		return;
	v.sent = stack_send(s, 0);
	if (v.sent == SENT_NOT)
		c->ring_full++;
	err = bpf_map_update_elem(counts, &s->ev.key, &v, BPF_NOEXIST);
	if (!err) {
		c->kept++;
		return;
	}
	/* Another CPU was faster (-EEXIST), or there is no room (-E2BIG), or its lock is held. */
	if (err == -17 && stack_add(s, c, counts))
		return;
	stack_spill(s, c, v.sent == SENT_YES, err == -7);
}

static __always_inline bool is_filtered(__u64 pid_tgid, const char *comm)
{
	__u32 zero = 0, id;

	if (config.filter & EDDY_FILTER_PID) {
		id = pid_tgid >> 32;
		if (!bpf_map_lookup_elem(&tasks, &id))
			return true;
	}
	if (config.filter & EDDY_FILTER_TID) {
		id = pid_tgid;
		if (!bpf_map_lookup_elem(&tasks, &id))
			return true;
	}
	if (config.filter & EDDY_FILTER_CPU) {
		id = bpf_get_smp_processor_id();
		if (!bpf_map_lookup_elem(&cpus, &id))
			return true;
	}
	if (config.filter & EDDY_FILTER_CGROUP &&
	    bpf_current_task_under_cgroup(&cgroups, zero) != 1)
		return true;
	if (config.filter & EDDY_FILTER_COMM) {
		for (int i = 0; i < EDDY_COMM_BYTES; i++) {
			if (comm[i] != config.comm[i])
				return true;
			if (!comm[i])
				break;
		}
	}
	return false;
}

/* The idle task halts in a handful of functions; anything else it does is work. */
static __always_inline bool is_halted(__u64 pc)
{
	for (__u32 i = 0; i < EDDY_MAX_IDLE_RANGES; i++) {
		if (i >= idle.nr_ranges)
			break;
		if (pc >= idle.range[i].start && pc < idle.range[i].end)
			return true;
	}
	return false;
}

/*
 * The registers with which the task left user mode: they stand at the top of its kernel stack.
 * bpf_task_pt_regs() knows where since 5.15; before, the top is the end of the stack.
 */
static __always_inline bool read_entry_regs(struct eddy_scratch *s, const struct task_struct *task)
{
	const void *regs;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		regs = (void *)bpf_task_pt_regs((void *)bpf_get_current_task_btf());
	else
		regs = BPF_CORE_READ(task, stack) + stack_bytes(task) - EDDY_PT_REGS_BYTES;
	if (bpf_probe_read_kernel(&s->regs, sizeof(s->regs), regs))
		return false;
	return REGS_USER_MODE(&s->regs);
}

/* The user stack of a task with memory; s->regs is filled when the CPU was in user mode. */
static __always_inline void take_user_stack(struct eddy_scratch *s, const struct task_struct *task,
					    const struct tick *t)
{
	if (!t->user_mode && !read_entry_regs(s, task)) {
		/* It never was in user mode: being born, or a kernel helper. */
		s->ev.user_end = EDDY_END_EXIT;
		return;
	}
	REGS_TO_STATE(&s->walk.state, &s->regs);
	s->walk.state.ra_mask = config.ra_mask;
	eddy_unwind_begin(&s->walk.state, EDDY_ARCH_NATIVE);
	s->walk.mm = TASK_READ(task, mm);
	if (REGS_IS_COMPAT(&s->regs)) {
		s->frames[s->ev.nr_kernel & 127] = s->walk.state.pc;
		s->walk.nr_raw = 1;
		s->ev.nr_user = 1;
		s->ev.user_end = EDDY_END_COMPAT32;
		return;
	}
	walk_user_stack(s, task);
	s->ev.user_end = s->walk.end;
	/* execve has put the new memory in place of the old, whose registers these are. */
	if (!t->user_mode && s->ev.nr_user == 1 && s->walk.end == EDDY_END_NOMAP) {
		s->ev.user_end = EDDY_END_EXEC;
		s->ev.nr_user = 0;
	}
	s->ev.nr_fp = s->walk.state.nr_fp_steps;
	if (s->ev.nr_fp)
		s->ev.flags |= EDDY_SAMPLE_FP_STEPS;
}

/*
 * Copies the stack from the red zone on, to its end or to a limit.  Chunks end at multiples of
 * their size, so that the last one ends where the stack does; the first may lie, but for the red
 * zone, in a page that was never touched.
 */
static __always_inline __u32 stack_copy(struct eddy_late_event *l, __u32 max_bytes)
{
	__u64 at = (l->sp - 128) & ~(__u64)(EDDY_LATE_CHUNK - 1);
	__u32 bytes = 0, i;
	__u8 byte;

	if (bpf_probe_read_user(&byte, sizeof(byte), (void *)at))
		at += EDDY_LATE_CHUNK;
	l->stack_addr = at;
	for (i = 0; i < EDDY_LATE_STACK_BYTES / EDDY_LATE_CHUNK; i++) {
		if (i * EDDY_LATE_CHUNK >= max_bytes ||
		    bpf_probe_read_user(l->stack + i * EDDY_LATE_CHUNK, EDDY_LATE_CHUNK,
					(void *)(at + i * EDDY_LATE_CHUNK)))
			break;
		bytes = (i + 1) * EDDY_LATE_CHUNK;
	}
	return bytes;
}

/*
 * Sends the sample with the registers it began with (put into walk.state again) and its stack.
 * Copies become short when the ring fills, and take half of it at most: a stack that finds no room
 * would be lost, a copy is not missed.
 */
static __always_inline bool late_send(struct eddy_scratch *s)
{
	__u32 cpu = bpf_get_smp_processor_id(), bytes;
	struct eddy_late_event *l = bpf_map_lookup_elem(&late, &cpu);
	__u64 waiting = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);

	if (!l || (config.copy == EDDY_COPY_PENDING && waiting > 2 * config.wake_bytes))
		return false;
	s->ev.weight = config.copy == EDDY_COPY_PENDING;
	s->ev.time_ns = bpf_ktime_get_ns();
	s->ev.type = EDDY_EVENT_STACK;
	if (bpf_probe_read_kernel(&l->ev, sizeof(l->ev) + sizeof(l->frames), &s->ev) ||
	    bpf_probe_read_kernel(l->gpr, sizeof(l->gpr), s->walk.state.gpr))
		return false;
	l->type = EDDY_EVENT_LATE;
	l->pc = s->walk.state.pc;
	l->sp = s->walk.state.sp;
	l->fp = s->walk.state.fp;
	l->lr = s->walk.state.lr;
	bytes = stack_copy(l, waiting > config.wake_bytes * 3 / 2 ? EDDY_LATE_SHORT_BYTES
								  : EDDY_LATE_STACK_BYTES);
	l->stack_bytes = bytes;
	bytes += offsetof(struct eddy_late_event, stack);
	if (bytes > sizeof(*l))
		return false;
	return !bpf_ringbuf_output(&ring, l, bytes, wake_flags(s->ev.pid));
}

/* Is the sample to be sent with its stack?  Not when the event cannot hold its frames. */
static __always_inline bool is_late(const struct eddy_scratch *s)
{
	if ((__u32)s->ev.nr_kernel + s->ev.nr_user > EDDY_LATE_FRAMES)
		return false;
	if (config.copy == EDDY_COPY_ALL)
		return s->ev.nr_user && s->ev.user_end != EDDY_END_COMPAT32;
	return s->ev.user_end == EDDY_END_PENDING;
}

/* A PID is used again, but not within the same millisecond. */
static __always_inline __u32 started_ms(const struct task_struct *task)
{
	return task_started_ns(task) / 1000000;
}

static __always_inline void identify(struct eddy_stack_event *ev, __u64 pid_tgid)
{
	ev->pid = pid_tgid >> 32;
	ev->tid = config.identity & EDDY_IDENTITY_TID ? (__u32)pid_tgid : 0;
	ev->cpu = config.identity & EDDY_IDENTITY_CPU ? bpf_get_smp_processor_id() : 0;
	ev->cgroup = config.identity & EDDY_IDENTITY_CGROUP ? bpf_get_current_cgroup_id() : 0;
}

/* s->ev.turn is set; the sample is idle, filtered, kept or lost when this returns. */
static __always_inline void sample_take(struct eddy_scratch *s, struct eddy_counters *c, void *ctx,
					const struct tick *t)
{
	const struct task_struct *task = current_task();
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	bool is_kthread, has_user;

	c->delivered++;
	s->ev.flags = t->user_mode ? EDDY_SAMPLE_USER_MODE : 0;
	if (!t->user_mode && t->has_regs && is_off_stack(task, t->sp))
		s->ev.flags |= EDDY_SAMPLE_OFF_STACK;
	if (!(__u32)pid_tgid) {
		s->ev.flags |= EDDY_SAMPLE_IDLE;
		if (!config.keep_idle && !(s->ev.flags & EDDY_SAMPLE_OFF_STACK) &&
		    is_halted(t->pc)) {
			c->idle++;
			return;
		}
	}
	bpf_get_current_comm(s->ev.comm, sizeof(s->ev.comm));
	is_kthread = TASK_READ(task, flags) & PF_KTHREAD;
	has_user = !is_kthread && TASK_READ(task, mm);
	if ((config.filter && is_filtered(pid_tgid, s->ev.comm)) ||
	    (config.filter & EDDY_FILTER_USER && !has_user) ||
	    (config.filter & EDDY_FILTER_KERNEL && t->user_mode)) {
		c->filtered++;
		return;
	}
	identify(&s->ev, pid_tgid);
	s->ev.nr_kernel = 0;
	s->ev.nr_user = 0;
	s->ev.user_end = is_kthread ? EDDY_END_KTHREAD : EDDY_END_EXIT; /* no mm: exiting */
	s->ev.nr_fp = 0;
	s->walk.nr_raw = 0;
	if (!t->user_mode && !(config.filter & EDDY_FILTER_USER))
		kernel_stack_take(s, c, ctx, t, task);
	if (is_kthread)
		s->ev.flags |= EDDY_SAMPLE_KTHREAD;
	if (has_user && !(config.filter & EDDY_FILTER_KERNEL))
		take_user_stack(s, task, t);
	/* Frames in files need no process: equal stacks of processes are one. */
	if (!(config.identity & EDDY_IDENTITY_PID) && !s->walk.nr_raw)
		s->ev.pid = 0;
	s->ev.started_ms = s->ev.pid ? started_ms(task) : 0;
	if (config.copy && has_user && is_late(s)) {
		REGS_TO_STATE(&s->walk.state, &s->regs);
		eddy_unwind_begin(&s->walk.state, EDDY_ARCH_NATIVE);
		if (late_send(s) && config.copy == EDDY_COPY_PENDING) {
			c->kept++;
			c->late++;
			return;
		}
	}
	hash_stack(s);
	stack_count(s, c);
}

static __always_inline __u64 timed_ns(void)
{
	return config.is_timed ? bpf_ktime_get_ns() : 0;
}

static __always_inline int sample(void *ctx, const struct tick *t)
{
	__u32 zero = 0, now = *(volatile __u32 *)&turn, which = now % EDDY_NR_TURNS;
	struct eddy_counters *c = bpf_map_lookup_elem(&counters, &which);
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);

	if (!c || !s)
		return 0;
	s->ev.turn = now;
	sample_take(s, c, ctx, t);
	if (config.is_timed)
		c->run_ns += timed_ns() - t->begun_ns;
	return 0;
}

SEC("perf_event")
int eddy_perf_event(struct bpf_perf_event_data *ctx)
{
	struct tick t = {
		.begun_ns = timed_ns(),
		.pc = REGS_PC(&ctx->regs),
		.sp = REGS_SP(&ctx->regs),
		.fp = REGS_FP(&ctx->regs),
		.user_mode = REGS_USER_MODE(&ctx->regs),
		.has_regs = true,
	};
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);

	if (s && t.user_mode)
		REGS_COPY(&s->regs, &ctx->regs);
	return sample(ctx, &t);
}

/* Every n-th hit of a tracepoint; it fires on all CPUs, whatever CPU its event was opened on. */
SEC("tracepoint")
int eddy_tracepoint(void *ctx)
{
	const struct tick t = { .begun_ns = timed_ns() };
	__u32 zero = 0;
	__u64 *nr = bpf_map_lookup_elem(&hits, &zero);

	if (!nr || ++*nr % config.period)
		return 0;
	return sample(ctx, &t);
}

char LICENSE[] SEC("license") = "GPL";
