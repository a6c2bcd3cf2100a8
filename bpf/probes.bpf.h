/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of user functions (uprobes) change what a walk meets.  A return probe puts the address of
 * a trampoline in the place of the return address, and the kernel keeps the true one in a list of
 * the task, innermost function first.  An instruction that a probe stands on is executed as a copy
 * elsewhere.  Both places are in one executable area of the process, "[uprobes]".
 *
 *	pc in the area, sp -> return_instance whose function was entered with that stack -> true pc
 */
#ifndef EDDY_PROBES_BPF_H
#define EDDY_PROBES_BPF_H

#include "index.bpf.h"
#include "maps.bpf.h"
#include "regs.bpf.h"
#include "task.bpf.h"

#define MAX_RETURN_PROBES 64 /* MAX_URETPROBE_DEPTH: as many as the kernel keeps for a task */
#define MAX_COPY_BYTES	  16 /* of one instruction */
#define PROBES_AREA_BYTES 4096

static __always_inline bool is_probes_area(const struct eddy_walk *w, __u64 pc)
{
	return w->trampoline && pc - w->trampoline < PROBES_AREA_BYTES;
}

/* Sets walk.probes and walk.trampoline for the current task, whose memory is walk.mm. */
static __always_inline void probes_begin(struct eddy_walk *w, const struct task_struct *task)
{
	const struct mm_struct *mm = w->mm;
	const struct xol_area *area;

	w->probes = NULL;
	w->trampoline = 0;
	if (!bpf_core_field_exists(((struct task_struct *)0)->utask))
		return;
	w->probes = TASK_READ(task, utask);
	if (!w->probes)
		return;
	area = BPF_CORE_READ(mm, uprobes_state.xol_area);
	if (area)
		w->trampoline = BPF_CORE_READ(area, vaddr);
}

/* Of an interrupted copy of an instruction to the instruction: the registers are the same. */
static __always_inline void probe_copy_leave(struct eddy_walk *w)
{
	const struct uprobe_task *probes = w->probes;
	__u64 copy;

	if (!bpf_core_field_exists(((struct task_struct *)0)->utask) || !probes ||
	    !is_probes_area(w, w->state.pc))
		return;
	copy = BPF_CORE_READ(probes, xol_vaddr);
	if (!copy || w->state.pc - copy >= MAX_COPY_BYTES)
		return;
	w->state.pc = BPF_CORE_READ(probes, vaddr) + (w->state.pc - copy);
	REGS_SET_STATE_PC(&w->state);
}

/*
 * Whether a return probe was set when the stack pointer was `entered`, and the frame that sp
 * belongs to called the function then.  On x86-64 the return address has been taken from the
 * stack, in the trampoline itself up to three registers may have been put there since; on arm64 sp
 * is known to be no higher than that after steps by frame pointer.
 */
static __always_inline bool is_entered(__u64 entered, __u64 sp, bool is_leaf)
{
#if defined(__TARGET_ARCH_x86)
	__u64 above = entered + 8 - sp;

	return is_leaf ? above <= 24 : !above;
#else
	return entered >= sp;
#endif
}

/*
 * The walk has come to the trampoline: on to where the function would have returned to.  It stays
 * where it is when the kernel has no such function in its list.  Global, and so verified on its
 * own.
 */
__noinline int trampoline_leave(void)
{
	__u32 zero = 0, i;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	const struct return_instance *probe;
	const struct uprobe_task *probes;
	__u64 entered, sp;
	bool is_leaf;

	if (!s || !bpf_core_field_exists(((struct task_struct *)0)->utask))
		return 0;
	probes = s->walk.probes;
	if (!probes)
		return 0;
	sp = s->walk.state.sp;
	is_leaf = s->walk.state.flags & EDDY_UNWIND_EXACT;
	probe = BPF_CORE_READ(probes, return_instances);
	for (i = 0; i < MAX_RETURN_PROBES && probe; i++) {
		entered = BPF_CORE_READ(probe, stack);
		if (is_entered(entered, sp, is_leaf)) {
			s->walk.state.pc = BPF_CORE_READ(probe, orig_ret_vaddr);
			s->walk.state.flags &= ~(EDDY_UNWIND_EXACT | EDDY_UNWIND_GPRS);
#if defined(__TARGET_ARCH_x86)
			s->walk.state.sp = entered + 8;
#endif
			return 0;
		}
		probe = BPF_CORE_READ(probe, next);
	}
	return 0;
}

/*
 * Puts true return addresses into the copy of a stack, since user space does not know the list.
 * Only on x86-64 does the kernel say where on the stack they stand.
 */
__noinline int late_mend(__u64 trampoline)
{
#if defined(__TARGET_ARCH_x86)
	__u32 cpu = bpf_get_smp_processor_id(), zero = 0, i;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct eddy_late_event *l = bpf_map_lookup_elem(&late, &cpu);
	const struct return_instance *probe;
	const struct uprobe_task *probes;
	__u64 *word, at;

	if (!s || !l || !bpf_core_field_exists(((struct task_struct *)0)->utask))
		return 0;
	probes = s->walk.probes;
	if (!probes)
		return 0;
	probe = BPF_CORE_READ(probes, return_instances);
	for (i = 0; i < MAX_RETURN_PROBES && probe; i++) {
		at = BPF_CORE_READ(probe, stack) - l->stack_addr;
		if (at < EDDY_LATE_STACK_BYTES && !(at & 7)) {
			at = EDDY_INDEX(at, EDDY_LATE_STACK_BYTES) & ~7ull;
			word = (__u64 *)(l->stack + at);
			if (*word == trampoline)
				*word = BPF_CORE_READ(probe, orig_ret_vaddr);
		}
		probe = BPF_CORE_READ(probe, next);
	}
#endif
	return 0;
}

#endif
