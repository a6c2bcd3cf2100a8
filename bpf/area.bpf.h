/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an address of the current process to the kernel's own description of its mapping
 * (vm_area_struct), by walking the kernel's tree of them.
 *
 * The tree is read without its lock.  For the kernel that is safe (probe reads); for the answer it
 * is validated: the area found must be of this mm and hold the address.
 */
#ifndef EDDY_AREA_BPF_H
#define EDDY_AREA_BPF_H

#include "index.bpf.h"
#include "maps.bpf.h"
#include <bpf/bpf_core_read.h>

/*
 * lib/maple_tree.c: a node is 256 bytes, its type and flags stand in the low bits of the pointer.
 * The third type, maple_range_64, is laid out as a leaf.
 */
#define MAPLE_NODE_MASK 255ull
#define MAPLE_LEAF_64	1
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

/* Sets walk.vma to the area that may hold pc, or to 0. */
static __always_inline void area_find(struct eddy_scratch *s, __u64 pc)
{
	s->walk.vma = 0;
	if (bpf_core_field_exists(((struct mm_struct *)0)->mm_mt))
		vma_find_maple(pc);
	else
		vma_find_rb(pc);
}

/*
 * Fields of a piece of kernel memory that was read as a whole: a call that reads 8 bytes costs 27
 * ns, one that reads 256 bytes 35 ns.  Fields that stand behind it on some kernel are read alone.
 */
#define PIECE_BYTES 128
#define PIECE_READ(piece, type, object, field)                          \
	(bpf_core_field_offset(type, field) + 8 <= PIECE_BYTES          \
		 ? (piece)[bpf_core_field_offset(type, field) / 8 & 15] \
		 : (__u64)BPF_CORE_READ((type *)(object), field))

/*
 * vm_lock_seq of an area takes the value that mm_lock_seq has when somebody begins to change the
 * area (6.4 and later, with CONFIG_PER_VMA_LOCK).
 */
#define HAS_AREA_SEQ bpf_core_field_exists(((struct vm_area_struct___lock *)0)->vm_lock_seq)

/*
 * Only with HAS_AREA_SEQ.  The offset is opaque, else clang takes it before the branch that asks,
 * and without the field it is poison: "invalid func unknown#195896080" (5.10, 6.1).
 */
static __always_inline __u32 area_seq(const __u64 *piece, const struct vm_area_struct *area)
{
	const struct vm_area_struct___lock *lock = (void *)area;
	__u64 at = bpf_core_field_offset(struct vm_area_struct___lock, vm_lock_seq);

	EDDY_UNWIND_OPAQUE(at);
	if (at + 8 > PIECE_BYTES)
		return BPF_CORE_READ(lock, vm_lock_seq);
	return piece[EDDY_INDEX(at / 8, PIECE_BYTES / 8)] >> (at & 4) * 8;
}

#endif
