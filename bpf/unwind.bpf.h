/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The walk up a user stack: one frame per call of a global function in a bounded loop, so that the
 * verifier sees the step once and not once a frame (5.10 to 6.18, up to 1023 frames).  The step
 * itself is include/unwind_step.h.
 */
#ifndef EDDY_UNWIND_BPF_H
#define EDDY_UNWIND_BPF_H

#include "index.bpf.h"
#include "mapping.bpf.h"
#include "probes.bpf.h"
#include "rows.bpf.h"
#include "stack.bpf.h"
#include "variables.bpf.h"

static __always_inline __u64 frame_value(struct eddy_walk *w, const struct eddy_mapping *m,
					 __u64 pc)
{
	__u64 elf = pc + m->bias;

	if (!m->file || elf > EDDY_FRAME_ADDR_MASK) {
		w->nr_raw++;
		return pc;
	}
	return EDDY_FRAME_FILE | (__u64)m->file << EDDY_FRAME_FILE_SHIFT | elf;
}

/* By frame pointer, where that is allowed; `why` when not. */
static __always_inline int fp_step(struct eddy_walk *w, int why)
{
	if (config.unwind == EDDY_UNWIND_EH)
		return why;
	return eddy_unwind_fp_step(&w->state, why, EDDY_ARCH_NATIVE);
}

/* Steps by the table of the mapping's file. */
static __always_inline int table_step(struct eddy_walk *w, const struct eddy_mapping *m,
				      __u32 version, __u64 pc)
{
	__u64 elf = pc + m->bias;
	__u64 page = (elf >> EDDY_UNWIND_PAGE_SHIFT) - m->page_base;
	const struct eddy_unwind_rule *rule;

	if (page >= m->nr_pages)
		return fp_step(w, EDDY_END_NOINFO);
	page = (m->first_page + page) & (EDDY_UNWIND_MAX_PAGES - 1);
	rule = rule_find(page << EDDY_UNWIND_PAGE_SHIFT | (elf & 0xffff), version, &w->row);
	if (!rule)
		return EDDY_END_NOINFO;
	w->is_signal = rule->cfa == EDDY_CFA_SIGNAL;
	w->by_code |= rule->ra == EDDY_RA_CODE;
	if (config.unwind == EDDY_UNWIND_EH && rule->cfa == EDDY_CFA_NONE)
		return EDDY_END_NOINFO;
	return eddy_unwind_step(&w->state, rule, EDDY_ARCH_NATIVE);
}

/* Goes up one frame from the mapping that holds pc; EDDY_END_NONE, or the end. */
static __always_inline int walk_up(struct eddy_walk *w, const struct eddy_mapping *m, __u32 version,
				   __u64 pc)
{
	switch (m->kind) {
	case EDDY_MAPPING_TABLE:
		return table_step(w, m, version, pc);
	case EDDY_MAPPING_NOTABLE:
		return fp_step(w, EDDY_END_NOTABLE);
	case EDDY_MAPPING_ANON:
		return fp_step(w, EDDY_END_JIT);
	}
	return w->pid ? EDDY_END_PENDING : EDDY_END_HIDDEN;
}

/*
 * Records frame n and steps to its caller.  0 to go on; else the walk is over and walk.end set.
 * Global, and so verified on its own: it takes a number and finds the scratch itself.
 */
__noinline int walk_frame(__u32 n)
{
	__u32 zero = 0, at;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct eddy_mapping *m;
	struct eddy_space *space;
	__u64 pc, entry_pc;
	int slot;

	if (!s)
		return 1;
	at = s->ev.nr_kernel + n;
	if (at >= EDDY_MAX_FRAMES || n >= config.max_user_frames) {
		s->walk.end = EDDY_END_DEPTH;
		return 1;
	}
	if (is_probes_area(&s->walk, s->walk.state.pc))
		trampoline_leave();
	entry_pc = s->walk.state.pc;
	pc = eddy_unwind_lookup_pc(&s->walk.state, EDDY_ARCH_NATIVE);
	if (config.unwind == EDDY_UNWIND_FP) {
		s->frames[at] = pc;
		s->walk.nr_raw++;
		s->ev.nr_user = n + 1;
		s->walk.end =
			eddy_unwind_fp_step(&s->walk.state, EDDY_END_NOINFO, EDDY_ARCH_NATIVE);
		return s->walk.end;
	}
	space = &s->space[s->walk.space % EDDY_NR_SPACES];
	m = &space->mapping[space->last % EDDY_NR_MAPPINGS];
	if (!mapping_has(m, pc) || !mapping_is_known(space, m)) {
		slot = mapping_find(pc);
		if (slot < 0) {
			/* An address in no mapping is no frame; but the leaf was sampled there. */
			if (!n) {
				s->frames[at] = pc;
				s->walk.nr_raw = 1;
				s->ev.nr_user = 1;
			}
			s->walk.end = -slot;
			return 1;
		}
		m = &space->mapping[EDDY_INDEX(slot, EDDY_NR_MAPPINGS)];
	}
	s->frames[at] = frame_value(&s->walk, m, pc);
	s->ev.nr_user = n + 1;
	s->walk.is_signal = 0;
	s->walk.end = walk_up(&s->walk, m, space->version, pc);
	/* A signal trampoline was not called: its address is its own, and not one further back. */
	if (s->walk.is_signal)
		s->frames[at] += entry_pc - pc;
	/* An address that nobody can name, and each process of the program has another. */
	if (s->walk.end == EDDY_END_HIDDEN) {
		s->ev.nr_user = n;
		s->walk.nr_raw--;
	}
	return s->walk.end;
}

/* Walks from walk.state, which has been begun, to an end. */
static __always_inline void walk_user_stack(struct eddy_scratch *s, const struct task_struct *task)
{
	__u32 n;

	s->walk.window_bytes = 0;
	s->walk.by_code = 0;
	probe_copy_leave(&s->walk);
	if (config.unwind != EDDY_UNWIND_FP)
		space_begin(s, task);
	for (n = 0; n <= EDDY_MAX_USER_FRAMES; n++)
		if (walk_frame(n))
			break;
}

#endif
