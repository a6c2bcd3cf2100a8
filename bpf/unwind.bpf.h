/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The walk up a user stack: one frame per call of a global function in a bounded loop, so that the
 * verifier sees the step once and not once a frame (5.10 to 6.18, up to 1023 frames).  The step
 * itself is include/unwind_step.h.
 */
#ifndef EDDY_UNWIND_BPF_H
#define EDDY_UNWIND_BPF_H

#include "mapping.bpf.h"

/* The slot that holds pc, or EDDY_NR_MAPPINGS. */
static __always_inline __u32 mapping_cached(const struct eddy_walk *w, __u64 pc)
{
	__u32 i;

	for (i = 0; i < EDDY_NR_MAPPINGS; i++)
		if (w->mapping[i].kind != EDDY_MAPPING_NONE && pc >= w->mapping[i].start &&
		    pc < w->mapping[i].end)
			break;
	return i;
}

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
static __always_inline int table_step(struct eddy_walk *w, const struct eddy_mapping *m, __u64 pc)
{
	__u64 elf = pc + m->bias;
	__u64 page = (elf >> EDDY_UNWIND_PAGE_SHIFT) - m->page_base;
	struct eddy_unwind_pages *all_pages;
	struct eddy_unwind_rules *all_rules;
	struct eddy_unwind_page *p;
	struct eddy_unwind_rule *rule;
	struct eddy_unwind_slab *slab;
	__u32 zero = 0, nr;
	void *map;

	all_pages = bpf_map_lookup_elem(&pages, &zero);
	all_rules = bpf_map_lookup_elem(&rules, &zero);
	if (!all_pages || !all_rules || page >= m->nr_pages)
		return fp_step(w, EDDY_END_NOINFO);
	p = &all_pages->page[(m->first_page + page) & (EDDY_UNWIND_MAX_PAGES - 1)];
	nr = p->slab;
	map = bpf_map_lookup_elem(&slabs, &nr);
	if (!map)
		return EDDY_END_NOINFO;
	slab = bpf_map_lookup_elem(map, &zero);
	if (!slab)
		return EDDY_END_NOINFO;
	nr = eddy_unwind_search(slab, p, elf);
	rule = &all_rules->rule[nr & (EDDY_UNWIND_MAX_RULES - 1)];
	w->is_signal = rule->cfa == EDDY_CFA_SIGNAL;
	if (config.unwind == EDDY_UNWIND_EH && rule->cfa == EDDY_CFA_NONE)
		return EDDY_END_NOINFO;
	return eddy_unwind_step(&w->state, rule, EDDY_ARCH_NATIVE);
}

/* Goes up one frame from the mapping that holds pc; EDDY_END_NONE, or the end. */
__noinline int walk_up(__u64 pc, __u32 slot)
{
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct eddy_mapping *m;

	if (!s || slot >= EDDY_NR_MAPPINGS)
		return EDDY_END_NOMAP;
	m = &s->walk.mapping[slot];
	switch (m->kind) {
	case EDDY_MAPPING_TABLE:
		return table_step(&s->walk, m, pc);
	case EDDY_MAPPING_NOTABLE:
		return fp_step(&s->walk, EDDY_END_NOTABLE);
	case EDDY_MAPPING_ANON:
		return fp_step(&s->walk, EDDY_END_JIT);
	}
	return EDDY_END_PENDING;
}

/*
 * Records frame n and steps to its caller.  0 to go on; else the walk is over and walk.end set.
 * Global, and so verified on its own: it takes a number and finds the scratch itself.
 */
__noinline int walk_frame(__u32 n)
{
	__u32 zero = 0, at, slot;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	__u64 pc, entry_pc;
	int end;

	if (!s)
		return 1;
	at = s->ev.nr_kernel + n;
	if (at >= EDDY_MAX_FRAMES || n >= config.max_user_frames) {
		s->walk.end = EDDY_END_DEPTH;
		return 1;
	}
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
	slot = mapping_cached(&s->walk, pc);
	if (slot >= EDDY_NR_MAPPINGS) {
		slot = s->walk.next_mapping % EDDY_NR_MAPPINGS;
		end = mapping_find(pc);
		if (end) {
			/* An address in no mapping is no frame; but the leaf was sampled there. */
			if (!n) {
				s->frames[at] = pc;
				s->walk.nr_raw = 1;
				s->ev.nr_user = 1;
			}
			s->walk.end = end;
			return 1;
		}
		s->walk.next_mapping = slot + 1;
	}
	s->frames[at] = frame_value(&s->walk, &s->walk.mapping[slot], pc);
	s->ev.nr_user = n + 1;
	s->walk.is_signal = 0;
	s->walk.end = walk_up(pc, slot);
	/* A signal trampoline was not called: its address is its own, and not one further back. */
	if (s->walk.is_signal)
		s->frames[at] += entry_pc - pc;
	return s->walk.end;
}

/*
 * mm_lock_seq changes with every change to the mappings, so those of the last stack can be used
 * again: most samples of a program find nothing changed.  Kernels without it look all up again.
 */
static __always_inline void epoch_read(const struct mm_struct *mm, struct eddy_mapping_epoch *e)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	const struct mm_struct___seqcount *mm_seqcount = (void *)mm;
	const struct mm_struct___int *mm_int = (void *)mm;
	struct eddy_unwind_pages *all_pages;
	__u32 zero = 0;

	all_pages = bpf_map_lookup_elem(&pages, &zero);
	if (!all_pages)
		return;
	e->mm = mm;
	e->pid = bpf_get_current_pid_tgid() >> 32;
	e->exec_id = BPF_CORE_READ(task, self_exec_id);
	e->version = all_pages->version;
	if (bpf_core_field_exists(mm_seqcount->mm_lock_seq.sequence)) {
		e->lock_seq = BPF_CORE_READ(mm_seqcount, mm_lock_seq.sequence);
		e->is_known = !(e->lock_seq & 1);
	} else if (bpf_core_field_exists(mm_int->mm_lock_seq)) {
		e->lock_seq = BPF_CORE_READ(mm_int, mm_lock_seq);
		e->is_known = 1;
	}
}

/* Forgets the mappings of the stack before, or those whose table may have come since. */
static __always_inline void mappings_begin(struct eddy_walk *w)
{
	struct eddy_mapping_epoch e = {};
	bool holds;
	__u32 i;

	epoch_read(w->mm, &e);
	holds = e.is_known && w->epoch.is_known && e.mm == w->epoch.mm && e.pid == w->epoch.pid &&
		e.exec_id == w->epoch.exec_id && e.lock_seq == w->epoch.lock_seq &&
		e.version == w->epoch.version;
	w->epoch = e;
	for (i = 0; i < EDDY_NR_MAPPINGS; i++)
		if (!holds || w->mapping[i].kind == EDDY_MAPPING_PENDING)
			w->mapping[i].kind = EDDY_MAPPING_NONE;
	if (!holds)
		w->next_mapping = 0;
}

/* Walks from walk.state, which has been begun, to an end. */
static __always_inline void walk_user_stack(struct eddy_scratch *s)
{
	__u32 n;

	mappings_begin(&s->walk);
	for (n = 0; n <= EDDY_MAX_USER_FRAMES; n++)
		if (walk_frame(n))
			break;
}

#endif
