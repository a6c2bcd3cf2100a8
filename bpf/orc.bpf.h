/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an address in the text of the kernel to its rule, by the kernel's own ORC tables (x86-64):
 *
 *	ips[]      sorted, __s32, each counted from its own address
 *	entries[]  of the same number -> rule
 *
 * Rows that were found are kept in the log that user stacks have (rows.bpf.h).  Leaves of stacks
 * are seldom in it, but not far from others: orc_index keeps where the search for an address of
 * the same KiB of text ended.
 *
 * Sources: arch/x86/include/asm/orc_types.h, arch/x86/kernel/unwind_orc.c.
 */
#ifndef EDDY_ORC_BPF_H
#define EDDY_ORC_BPF_H

#include "index.bpf.h"
#include "rows.bpf.h"
#include "variables.bpf.h"

#define ORC_STEPS 24 /* of a binary search: 2^24 entries; a kernel has 500 000 */
#define ORC_PIECE 64 /* so many are read at once */

enum orc_reg {
	ORC_REG_UNDEFINED = 0,
	ORC_REG_PREV_SP = 1,
	ORC_REG_BP = 4,
	ORC_REG_SP = 5,
	ORC_REG_BP_INDIRECT = 8, /* functions that align their stack */
};

/* What the type says; numbered anew in 6.4. */
enum orc_kind {
	ORC_OTHER,
	ORC_END,
	ORC_CALL,
	ORC_REGS,
};

static __always_inline enum orc_kind orc_kind(__u32 type_byte, __u32 sp_reg)
{
	if (!kernel_orc.has_old_types) {
		type_byte &= 7;
		return type_byte <= ORC_REGS ? type_byte : ORC_OTHER;
	}
	if (type_byte & 4)
		return sp_reg == ORC_REG_UNDEFINED ? ORC_END : ORC_OTHER;
	type_byte &= 3;
	return type_byte == 0 ? ORC_CALL : type_byte == 1 ? ORC_REGS : ORC_OTHER;
}

/* An entry, 6 bytes: sp_offset, bp_offset, registers and type. */
static __always_inline void orc_decode(__u64 entry, struct eddy_orc_rule *rule)
{
	__u32 sp_reg = entry >> 32 & 15, bp_reg = entry >> 36 & 15, type = entry >> 40 & 255;
	enum orc_kind kind = orc_kind(type, sp_reg);

	__builtin_memset(rule, 0, sizeof(*rule));
	if (kind == ORC_END) {
		rule->cfa = EDDY_ORC_CFA_END;
		return;
	}
	rule->cfa = sp_reg == ORC_REG_SP	    ? EDDY_ORC_CFA_SP
		    : sp_reg == ORC_REG_BP	    ? EDDY_ORC_CFA_BP
		    : sp_reg == ORC_REG_BP_INDIRECT ? EDDY_ORC_CFA_DEREF_BP
						    : EDDY_ORC_CFA_UNKNOWN;
	if (kind == ORC_OTHER ||
	    (bp_reg != ORC_REG_UNDEFINED && bp_reg != ORC_REG_PREV_SP && bp_reg != ORC_REG_BP))
		rule->cfa = EDDY_ORC_CFA_UNKNOWN;
	rule->cfa_off = (__s16)entry;
	rule->bp_off = (__s16)(entry >> 16);
	rule->bp = bp_reg == ORC_REG_UNDEFINED ? EDDY_ORC_BP_SAME
		   : bp_reg == ORC_REG_PREV_SP ? EDDY_ORC_BP_CFA
					       : EDDY_ORC_BP_BP;
	rule->has_regs = kind != ORC_CALL;
	rule->is_exact = kernel_orc.has_old_types ? kind == ORC_REGS : type >> 3 & 1;
}

/* The address of entry nr, of ORC_PIECE that stand in walk.node from `start` on. */
static __always_inline __u64 piece_ip(const struct eddy_scratch *s, __u64 start, __u64 nr)
{
	__u64 word;

	word = s->walk.node[EDDY_INDEX(nr / 2, ORC_PIECE / 2)];
	return kernel_orc.ips + (start + nr) * 4 + (__s64)(__s32)(word >> (nr & 1) * 32);
}

/* The last entry not above pc among ORC_PIECE from `start` on; negative: it is not among them. */
static __always_inline __s64 piece_search(struct eddy_scratch *s, __u64 start, __u64 pc)
{
	__u64 pos = 0, half, above;

	if (start > kernel_orc.nr_entries - ORC_PIECE)
		start = kernel_orc.nr_entries - ORC_PIECE;
	if (bpf_probe_read_kernel(s->walk.node, ORC_PIECE * 4,
				  (void *)(kernel_orc.ips + start * 4)))
		return -1;
	for (half = ORC_PIECE / 2; half; half /= 2) {
		above = pc - piece_ip(s, start, pos + half);
		above = (__u64)((__s64)above >> 63); /* all ones when the entry is behind pc */
		EDDY_UNWIND_OPAQUE(above);
		pos += half & ~above;
	}
	if (piece_ip(s, start, pos) > pc || pos == ORC_PIECE - 1)
		return -1;
	return start + pos;
}

/* The same among all entries. */
static __always_inline __s64 table_search(struct eddy_scratch *s, __u64 pc)
{
	__u64 pos = 0, n = kernel_orc.nr_entries, half, where, above;
	__s32 distance = 0;
	int i;

	for (i = 0; i < ORC_STEPS && n > ORC_PIECE / 2; i++) {
		half = n >> 1;
		where = kernel_orc.ips + (pos + half) * sizeof(distance);
		if (bpf_probe_read_kernel(&distance, sizeof(distance), (void *)where))
			return -1;
		above = pc - (where + (__s64)distance);
		above = (__u64)((__s64)above >> 63);
		EDDY_UNWIND_OPAQUE(above);
		pos += half & ~above;
		n -= half;
	}
	return piece_search(s, pos, pc);
}

/* The number of the entry that holds at pc, or negative. */
static __always_inline __s64 orc_search(struct eddy_scratch *s, struct eddy_orc_index *index,
					__u64 pc)
{
	__u64 block = (pc - kernel_orc.text_start) >> EDDY_ORC_BLOCK_SHIFT;
	__u32 *near = &index->near[block & (EDDY_NR_ORC_BLOCKS - 1)];
	__s64 pos = piece_search(s, *near, pc);

	if (pos >= 0)
		return pos;
	pos = table_search(s, pc);
	*near = pos < ORC_PIECE / 2 ? 0 : pos - ORC_PIECE / 2;
	return pos;
}

/* Appends the row of pc to the log: its number there, or negative. */
__noinline int orc_append(__u64 pc)
{
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);
	struct eddy_orc_index *index = bpf_map_lookup_elem(&orc_index, &zero);
	struct eddy_rows *r = bpf_map_lookup_elem(&rows, &zero);
	__u64 entry = 0;
	__u32 at;
	__s64 pos;

	if (!s || !r || !index)
		return -1;
	pos = orc_search(s, index, pc);
	if (pos < 0 || bpf_probe_read_kernel(&entry, 6, (void *)(kernel_orc.entries + pos * 6)))
		return -1;
	at = row_append(r, pc, EDDY_ROW_ORC);
	orc_decode(entry, &r->row[at].orc);
	return at;
}

/* rule_find() for an address of the kernel's text. */
static __always_inline const struct eddy_orc_rule *orc_find(__u64 pc, __u32 *at)
{
	__u32 zero = 0, nr;
	struct eddy_rows *r = bpf_map_lookup_elem(&rows, &zero);
	int found;

	if (!r)
		return NULL;
	found = row_find(r, pc, EDDY_ROW_ORC, *at);
	if (found < 0)
		found = orc_append(pc);
	if (found < 0)
		return NULL;
	nr = EDDY_INDEX(found, EDDY_NR_ROWS);
	*at = nr + 1;
	return &r->row[nr].orc;
}

#endif
