/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel stack of a sample.  bpf_get_stack() knows it, but what it touches for it, its code and
 * three or four pages of tables for each frame, has been displaced from all caches by the sampled
 * program: 16 us for the 7 frames of a page fault, 1 us when asked again at once.  So the plain
 * case is walked here by the same tables: a stack that lies whole on the stack of its task and
 * whose frames are all in the text of the kernel itself.  Everything else (interrupts, modules,
 * trampolines of ftrace, kretprobes and BPF, other machines than x86-64) is asked of the kernel.
 *
 * So are some of the stacks that were walked, and if one differs, walking ends for good and user
 * space is told.
 */
#ifndef EDDY_KERNEL_STACK_BPF_H
#define EDDY_KERNEL_STACK_BPF_H

#include "index.bpf.h"
#include "orc.bpf.h"
#include "task.bpf.h"
#include "variables.bpf.h"

/* What the CPU was doing, from the context of the program. */
struct tick {
	__u64 pc;
	__u64 sp;
	__u64 fp;
	__u64 period; /* of the event; with config.is_weighed only */
	bool user_mode;
	bool has_regs; /* pc, sp and fp are those of a CPU that was interrupted */
};

/*
 * Events that the kernel raises itself (tracepoints, and those of the scheduler) bring the
 * registers of perf_fetch_caller_regs().  On arm64 their stack begins with the call twice, once as
 * pc and once by the frame record from which it starts.  No recursion returns to one and the same
 * call.
 */
static __always_inline void drop_double_leaf(struct eddy_scratch *s)
{
	if (s->ev.nr_kernel < 2 || s->frames[0] != s->frames[1])
		return;
	if (!bpf_probe_read_kernel(&s->frames[0],
				   (EDDY_MAX_KERNEL_FRAMES - 1) * sizeof(s->frames[0]),
				   &s->frames[1]))
		s->ev.nr_kernel--;
}

#define NR_TRACE_FRAMES 8 /* of the tracepoint and of BPF, between the program and __schedule() */

/* How many frames stand before that of __schedule(); 0: none, or it is not among the first. */
static __always_inline __u32 trace_frames(const __u64 *frames, __u32 nr)
{
	__u64 start = wait_window.schedule, bytes = wait_window.schedule_bytes;
	__u32 i;

	for (i = 0; i < NR_TRACE_FRAMES; i++)
		if (i < nr && frames[i] - start < bytes)
			return i;
	return 0;
}

/* Frames of the tracepoint and of this program, which stand before those of the scheduler. */
static __always_inline void trace_frames_drop(struct eddy_scratch *s)
{
	__u32 drop = trace_frames(s->frames, s->ev.nr_kernel);

	if (!drop)
		return;
	if (!bpf_probe_read_kernel(&s->frames[0],
				   (EDDY_MAX_KERNEL_FRAMES - NR_TRACE_FRAMES) *
					   sizeof(s->frames[0]),
				   &s->frames[EDDY_INDEX(drop, NR_TRACE_FRAMES)]))
		s->ev.nr_kernel -= drop;
	if (s->ev.nr_kernel > EDDY_MAX_KERNEL_FRAMES - NR_TRACE_FRAMES)
		s->ev.nr_kernel = EDDY_MAX_KERNEL_FRAMES - NR_TRACE_FRAMES;
}

static __always_inline void kernel_stack_ask(struct eddy_scratch *s, void *ctx,
					     const struct tick *t)
{
	long bytes = bpf_get_stack(ctx, s->frames, EDDY_MAX_KERNEL_FRAMES * sizeof(__u64), 0);

	if (bytes > 0) {
		s->ev.nr_kernel = (__u64)bytes / sizeof(__u64);
		if (s->ev.nr_kernel >= config.max_kernel_frames)
			s->ev.flags |= EDDY_SAMPLE_KERNEL_CUT;
		if (!t->has_regs)
			drop_double_leaf(s);
		if (!t->has_regs && config.waits)
			trace_frames_drop(s);
	} else {
		s->frames[0] = t->pc;
		s->ev.nr_kernel = 1;
		s->ev.flags |= EDDY_SAMPLE_KERNEL_BROKEN;
	}
}

#if defined(__TARGET_ARCH_x86)
#define CHECK_FIRST 8 /* so many stacks of a CPU are checked, and then some */

/* Registers of an exception frame, struct pt_regs. */
#define AT_BP	  32
#define AT_IP	  128
#define AT_CS	  136
#define AT_SP	  152
#define REGS_SIZE 168

/* A word of the task's stack; most of them stand in the window that was read at the beginning. */
static __always_inline int kernel_word(struct eddy_walk *w, __u64 addr, __u64 *ret_value)
{
	__u64 at = addr - w->window_addr;

	if (addr & 7)
		return -1;
	if (at < w->window_bytes) {
		*ret_value = w->window[EDDY_INDEX(at / 8, EDDY_WINDOW_WORDS)];
		return 0;
	}
	return bpf_probe_read_kernel(ret_value, sizeof(*ret_value), (void *)addr);
}

enum kernel_step { KERNEL_STEP_ON, KERNEL_STEP_END, KERNEL_STEP_GIVE_UP };

/* To the interrupted code: the registers stand at cfa. */
static __always_inline int kernel_regs_step(struct eddy_walk *w, __u64 cfa, __u64 *ret_pc,
					    __u64 *ret_sp, __u64 *ret_bp)
{
	__u64 cs = 0;

	if (cfa + REGS_SIZE > w->kernel_top || kernel_word(w, cfa + AT_CS, &cs))
		return KERNEL_STEP_GIVE_UP;
	if ((cs & 3) == 3)
		return KERNEL_STEP_END;
	if (kernel_word(w, cfa + AT_IP, ret_pc) || kernel_word(w, cfa + AT_SP, ret_sp) ||
	    kernel_word(w, cfa + AT_BP, ret_bp))
		return KERNEL_STEP_GIVE_UP;
	return KERNEL_STEP_ON;
}

static __always_inline int kernel_step(struct eddy_walk *w, const struct eddy_orc_rule *rule)
{
	__u64 bp = w->state.fp, off = (__u64)(__s64)rule->bp_off, cfa, pc = 0, sp;
	int end;

	if (rule->cfa == EDDY_ORC_CFA_END)
		return KERNEL_STEP_END;
	if (rule->cfa == EDDY_ORC_CFA_UNKNOWN)
		return KERNEL_STEP_GIVE_UP;
	cfa = (rule->cfa == EDDY_ORC_CFA_SP ? w->state.sp : bp) + (__u64)(__s64)rule->cfa_off;
	if (rule->cfa == EDDY_ORC_CFA_DEREF_BP && kernel_word(w, cfa, &cfa))
		return KERNEL_STEP_GIVE_UP;
	if (cfa <= w->state.sp - rule->has_regs || cfa > w->kernel_top)
		return KERNEL_STEP_GIVE_UP;
	sp = cfa;
	if (rule->has_regs) {
		end = kernel_regs_step(w, cfa, &pc, &sp, &bp);
		if (end)
			return end;
	} else if (kernel_word(w, cfa - 8, &pc)) {
		return KERNEL_STEP_GIVE_UP;
	}
	if (rule->bp != EDDY_ORC_BP_SAME &&
	    kernel_word(w, (rule->bp == EDDY_ORC_BP_CFA ? cfa : w->state.fp) + off, &bp))
		return KERNEL_STEP_GIVE_UP;
	if (sp <= w->state.sp || sp > w->kernel_top)
		return KERNEL_STEP_GIVE_UP;
	w->state.pc = pc;
	w->state.sp = sp;
	w->state.fp = bp;
	w->state.flags = rule->is_exact ? EDDY_UNWIND_EXACT : 0;
	return KERNEL_STEP_ON;
}

/* Return addresses that stand in the place of others. */
static __always_inline bool is_trampoline(__u64 pc)
{
	return pc == kernel_orc.trampoline[0] || pc == kernel_orc.trampoline[1];
}

/* Records frame n and steps to its caller: enum kernel_step. */
__noinline int kernel_frame(__u32 n)
{
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	const struct eddy_orc_rule *rule;
	__u64 pc;

	if (!s || n >= EDDY_MAX_KERNEL_FRAMES - 1)
		return KERNEL_STEP_GIVE_UP;
	pc = s->walk.state.pc;
	if (pc < kernel_orc.text_start || pc >= kernel_orc.text_end || is_trampoline(pc))
		return KERNEL_STEP_GIVE_UP;
	s->frames[n] = pc;
	s->ev.nr_kernel = n + 1;
	rule = orc_find(s->walk.state.flags & EDDY_UNWIND_EXACT ? pc : pc - 1, &s->walk.row);
	if (!rule)
		return KERNEL_STEP_GIVE_UP;
	return kernel_step(&s->walk, rule);
}

/*
 * Walks from walk.state (pc, sp, fp) to the user's registers, on a stack that ends at top.  False
 * when the kernel must be asked.
 */
static __always_inline bool kernel_frames_walk(struct eddy_scratch *s, __u64 top, __u32 flags)
{
	__u64 sp = s->walk.state.sp, bytes = top - sp;
	int end = KERNEL_STEP_GIVE_UP;
	__u32 n;

	s->walk.kernel_top = top;
	s->walk.window_addr = sp;
	if (bytes > sizeof(s->walk.window))
		bytes = sizeof(s->walk.window);
	if (sp & 7 || bpf_probe_read_kernel(s->walk.window, bytes, (void *)sp))
		return false;
	s->walk.window_bytes = bytes;
	s->walk.state.flags = flags;
	for (n = 0; n < EDDY_MAX_KERNEL_FRAMES; n++) {
		end = kernel_frame(n);
		if (end)
			break;
	}
	return end == KERNEL_STEP_END;
}

/*
 * Compares what was walked with the kernel's own answer, which is taken where they differ.  A stack
 * that the kernel has cut is compared as far as it goes.  Of a wait both begin at __schedule().
 */
static __always_inline void kernel_stack_check(struct eddy_scratch *s, struct eddy_counters *c,
					       void *ctx, const struct tick *t)
{
	long bytes = bpf_get_stack(ctx, s->walk.window, EDDY_MAX_KERNEL_FRAMES * sizeof(__u64), 0);
	__u64 differs, i, nr, drop = 0;
	bool is_cut;

	if (bytes <= 0)
		return;
	nr = (__u64)bytes / sizeof(__u64);
	is_cut = nr >= config.max_kernel_frames;
	if (config.waits && !t->has_regs)
		drop = trace_frames(s->walk.window, nr);
	nr -= drop;
	differs = is_cut ? s->ev.nr_kernel < nr : nr ^ s->ev.nr_kernel;
	for (i = 0; i < EDDY_MAX_KERNEL_FRAMES && i < nr; i++)
		differs |= s->walk.window[(i + drop) & (EDDY_WINDOW_WORDS - 1)] ^
			   s->frames[i & (EDDY_WINDOW_WORDS - 1)];
	c->kernel_checked++;
	if (!differs)
		return;
	c->kernel_differed++;
	kernel_orc.is_on = 0;
	s->ev.nr_kernel = nr;
	if (is_cut)
		s->ev.flags |= EDDY_SAMPLE_KERNEL_CUT;
	bpf_probe_read_kernel(s->frames, (EDDY_MAX_KERNEL_FRAMES - NR_TRACE_FRAMES) * sizeof(__u64),
			      &s->walk.window[EDDY_INDEX(drop, NR_TRACE_FRAMES)]);
}

/*
 * Where the program itself stands on the kernel stack: its caller's registers, from which a walk
 * begins.  A BPF function keeps its caller's rbp in front of its own frame, and this one, which has
 * no frame, is on the kernel stack also where the program's own frame is elsewhere (6.13).  Global,
 * and so a function of its own.
 */
__noinline int caller_find(__u32 unused)
{
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);

	if (!s)
		return 0;
	__asm__ volatile("*(u64 *)(%0 + 0) = r10" ::"r"(&s->walk.kernel_top) : "memory");
	return 0;
}

/* Sets walk.state to the kernel's function that called the program; false when it is not found. */
static __always_inline bool caller_begin(struct eddy_scratch *s, __u64 stack, __u64 bytes)
{
	__u64 own, program, frame[2];

	s->walk.kernel_top = 0;
	caller_find(0);
	own = *(volatile __u64 *)&s->walk.kernel_top;
	if (own - stack >= bytes || bpf_probe_read_kernel(&program, sizeof(program), (void *)own) ||
	    program <= own || program - stack >= bytes - 16 ||
	    bpf_probe_read_kernel(frame, sizeof(frame), (void *)program))
		return false;
	s->walk.state.fp = frame[0];
	s->walk.state.pc = frame[1];
	s->walk.state.sp = program + 16;
	return true;
}

static __always_inline bool kernel_stack_walk(struct eddy_scratch *s, struct eddy_counters *c,
					      void *ctx, const struct tick *t,
					      const struct task_struct *task)
{
	__u64 stack = (__u64)TASK_READ(task, stack), bytes = stack_bytes(task);
	__u32 nr;

	if (!kernel_orc.is_on || s->ev.flags & EDDY_SAMPLE_OFF_STACK)
		return false;
	if (t->has_regs) {
		s->walk.state.pc = t->pc;
		s->walk.state.sp = t->sp;
		s->walk.state.fp = t->fp;
	} else if (!caller_begin(s, stack, bytes)) {
		return false;
	}
	if (!kernel_frames_walk(s, stack + bytes, t->has_regs ? EDDY_UNWIND_EXACT : 0))
		return false;
	if (!t->has_regs)
		trace_frames_drop(s);
	c->kernel_walked++;
	nr = s->nr_kernel_walks++;
	if (nr < CHECK_FIRST || nr % config.kernel_check_every == 0)
		kernel_stack_check(s, c, ctx, t);
	return true;
}
#endif

static __always_inline void kernel_stack_take(struct eddy_scratch *s, struct eddy_counters *c,
					      void *ctx, const struct tick *t,
					      const struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	if ((t->has_regs || config.waits) && kernel_stack_walk(s, c, ctx, t, task))
		return;
#endif
	kernel_stack_ask(s, ctx, t);
}

#endif
