/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an address of the current process to its mapping, its file and its place in the file's
 * unwind table: by walking the kernel's own tree of mappings, so there is no state per process to
 * keep, and a process is known as soon as it runs.
 *
 * The tree is read without its lock.  For the kernel that is safe (probe reads); for the answer it
 * is validated: the area found must be of this mm and hold the address.
 */
#ifndef EDDY_MAPPING_BPF_H
#define EDDY_MAPPING_BPF_H

#include "maps.bpf.h"
#include <bpf/bpf_core_read.h>

#define VM_EXEC 0x4

/* lib/maple_tree.c: a node is 256 bytes, its type and flags stand in the low bits of the pointer.
 */
#define MAPLE_NODE_MASK 255ull
#define MAPLE_LEAF_64	1
#define MAPLE_RANGE_64	2
#define MAPLE_ARANGE_64 3
#define MAX_TREE_LEVELS 12 /* of a maple tree: 10^12 mappings */
#define MAX_RB_LEVELS	48

/*
 * Which slot of a node to follow: the first whose pivot is not below pc.  A pivot of 0 behind the
 * first ends the node.  Without branches on data, else the verifier follows every combination.
 * Pivots are last bytes of pages (odd), so comparing halves compares them, ~0 included.
 */
static __always_inline __u64 maple_slot(const __u64 *node, __u64 pc, __u64 nr_pivots)
{
	__u64 going = 1, slot = 0, pivot, below, more, inside;
	__u64 i;

	for (i = 0; i < 15; i++) {
		pivot = node[1 + i];
		below = (pivot >> 1) - (pc >> 1);
		more = i ? pivot | -pivot : ~0ull;
		inside = i - nr_pivots;
		EDDY_UNWIND_OPAQUE(below);
		EDDY_UNWIND_OPAQUE(more);
		EDDY_UNWIND_OPAQUE(inside);
		going &= (below & more & inside) >> 63;
		slot += going;
	}
	return slot;
}

/* 6.1 and later.  Sets walk.vma; global, and so verified on its own. */
__noinline int vma_find_maple(__u64 pc)
{
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	__u64 entry, type, slot, base;
	const struct mm_struct *mm;
	int level;

	if (!s || !bpf_core_field_exists(((struct mm_struct *)0)->mm_mt))
		return 0;
	mm = s->walk.mm; /* a variable, else the relocation is one of our own struct */
	entry = (__u64)BPF_CORE_READ(mm, mm_mt.ma_root);
	if ((entry & 3) != 2)
		return 0; /* a tree of one entry has no node; no process has one mapping */
	for (level = 0; level < MAX_TREE_LEVELS; level++) {
		if (entry <= 4096)
			return 0; /* empty slot, or a node being replaced */
		type = entry >> 3 & 15;
		if (bpf_probe_read_kernel(s->walk.node, sizeof(s->walk.node),
					  (void *)(entry & ~MAPLE_NODE_MASK)))
			return 0;
		if (type == MAPLE_ARANGE_64) {
			slot = maple_slot(s->walk.node, pc, 9);
			base = bpf_core_field_offset(struct maple_arange_64, slot) / 8;
		} else {
			slot = maple_slot(s->walk.node, pc, 15);
			base = bpf_core_field_offset(struct maple_range_64, slot) / 8;
		}
		entry = s->walk.node[(base + slot) & 31];
		if (type == MAPLE_LEAF_64) {
			s->walk.vma = entry;
			return 0;
		}
	}
	return 0;
}

/* Before 6.1: a red-black tree of the areas themselves. */
__noinline int vma_find_rb(__u64 pc)
{
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct rb_node *node;
	struct vm_area_struct *vma;
	const struct mm_struct *mm;
	int level;

	if (!s || !bpf_core_field_exists(((struct mm_struct *)0)->mm_rb))
		return 0;
	mm = s->walk.mm;
	node = BPF_CORE_READ(mm, mm_rb.rb_node);
	for (level = 0; level < MAX_RB_LEVELS && node; level++) {
		vma = (void *)node - bpf_core_field_offset(struct vm_area_struct, vm_rb);
		if (pc >= BPF_CORE_READ(vma, vm_end)) {
			node = BPF_CORE_READ(node, rb_right);
		} else if (pc < BPF_CORE_READ(vma, vm_start)) {
			node = BPF_CORE_READ(node, rb_left);
		} else {
			s->walk.vma = (__u64)vma;
			return 0;
		}
	}
	return 0;
}

static const struct eddy_unwind_file pending_file = { .kind = EDDY_FILE_PENDING };

/*
 * The file of asked->key is new: user space is told once, by the program that was first to insert
 * it.  The message and the value stand in maps and not on the stack: 5.10 and 6.1 said "combined
 * stack size of 4 calls is 544. Too large".
 */
static __always_inline void file_request(struct eddy_file_event *asked)
{
	if (bpf_map_update_elem(&files, &asked->key, &pending_file, BPF_NOEXIST))
		return;
	asked->type = EDDY_EVENT_FILE;
	asked->pid = bpf_get_current_pid_tgid() >> 32;
	if (bpf_ringbuf_output(&ring, asked, sizeof(*asked), BPF_RB_FORCE_WAKEUP))
		bpf_map_delete_elem(&files, &asked->key); /* asked again by the next sample */
}

/* Fills m from what is known of its file; offset is that of the mapping's start in the file. */
static __always_inline void mapping_fill(struct eddy_mapping *m, struct eddy_file_event *asked,
					 __u64 pc, __u64 offset)
{
	struct eddy_unwind_file *f = bpf_map_lookup_elem(&files, &asked->key);
	__u64 at = pc - m->start + offset;
	__u32 i;

	if (!f) {
		m->kind = EDDY_MAPPING_PENDING;
		asked->start = m->start;
		asked->end = m->end;
		file_request(asked);
		return;
	}
	if (!f->used)
		f->used = 1;
	if (f->kind == EDDY_FILE_PENDING) {
		m->kind = EDDY_MAPPING_PENDING;
		return;
	}
	m->kind = EDDY_MAPPING_NOTABLE;
	for (i = 0; i < EDDY_UNWIND_MAX_SEGMENTS; i++) {
		if (i >= f->nr_segments)
			break;
		if (at < f->segment[i].begin || at >= f->segment[i].end)
			continue;
		m->bias = f->segment[i].delta + offset - m->start;
		m->file = f->id;
		m->page_base = f->page_base;
		m->first_page = f->first_page;
		m->nr_pages = f->nr_pages;
		if (f->kind == EDDY_FILE_TABLE)
			m->kind = EDDY_MAPPING_TABLE;
		break;
	}
}

/* Reads the area at walk.vma into m; EDDY_END_NONE, or why there is none. */
static __always_inline int mapping_read(struct eddy_scratch *s, struct eddy_mapping *m, __u64 pc)
{
	struct vm_area_struct *vma = (void *)s->walk.vma;
	const struct mm_struct *mm = s->walk.mm;
	struct eddy_file_event *asked = &s->walk.asked;
	struct inode *inode;
	struct file *file;

	m->start = BPF_CORE_READ(vma, vm_start);
	m->end = BPF_CORE_READ(vma, vm_end);
	if (BPF_CORE_READ(vma, vm_mm) != mm)
		return EDDY_END_VMARACE;
	if (pc < m->start || pc >= m->end || !(BPF_CORE_READ(vma, vm_flags) & VM_EXEC))
		return EDDY_END_NOMAP;
	m->bias = 0;
	m->file = 0;
	m->nr_pages = 0;
	file = BPF_CORE_READ(vma, vm_file);
	if (!file) {
		m->kind = EDDY_MAPPING_ANON;
		if (m->start != (__u64)BPF_CORE_READ(mm, context.vdso))
			return EDDY_END_NONE;
		asked->key.ino = EDDY_VDSO_INO;
		asked->key.dev = EDDY_VDSO_DEV;
		asked->key.gen = EDDY_VDSO_GEN;
		mapping_fill(m, asked, pc, 0);
		return EDDY_END_NONE;
	}
	inode = BPF_CORE_READ(file, f_inode);
	asked->key.ino = BPF_CORE_READ(inode, i_ino);
	asked->key.dev = BPF_CORE_READ(inode, i_sb, s_dev);
	asked->key.gen = BPF_CORE_READ(inode, i_generation);
	mapping_fill(m, asked, pc, BPF_CORE_READ(vma, vm_pgoff) * config.page_bytes);
	return EDDY_END_NONE;
}

/*
 * Finds the mapping of pc and puts it into the slot *ret_slot of walk.mapping: EDDY_END_NONE, or
 * the end of the walk.  Global: the walk of the tree is verified once and not for every caller.
 */
__noinline int mapping_find(__u64 pc)
{
	__u32 zero = 0, slot;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);

	if (!s)
		return EDDY_END_NOMAP;
	s->walk.vma = 0;
	if (bpf_core_field_exists(((struct mm_struct *)0)->mm_mt))
		vma_find_maple(pc);
	else
		vma_find_rb(pc);
	slot = s->walk.next_mapping % EDDY_NR_MAPPINGS;
	s->walk.mapping[slot].kind = EDDY_MAPPING_NONE;
	if (!s->walk.vma)
		return EDDY_END_NOMAP;
	return mapping_read(s, &s->walk.mapping[slot], pc);
}

#endif
