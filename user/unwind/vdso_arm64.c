// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The arm64 vdso is a handful of small C functions and the signal trampoline.  Their frames can be
 * read off the instructions that make and drop them:
 *
 *	                                   return address in the link register
 *	stp x29, x30, [sp, #-N]!
 *	                                   CFA = sp + N, x29 and x30 saved at its bottom
 *	mov x29, sp
 *	                                   CFA = x29 + N
 *	ldp x29, x30, [sp], #N
 *	                                   return address in the link register
 *
 * A return in the middle of a function is taken for its end; what follows it up to the next stp
 * may then end as a refused step, never as a wrong frame that looks right.
 */
#include "unwind/vdso_arm64.h"

#include <string.h>

#include "util/mem.h"

#define STP_FP_LR_PUSH	 0xa9807bfdu /* stp x29, x30, [sp, #imm7 * 8]! */
#define LDP_FP_LR_POP	 0xa8c07bfdu /* ldp x29, x30, [sp], #imm7 * 8 */
#define PAIR_MASK	 0xffc07fffu
#define MOV_FP_SP	 0x910003fdu
#define RET		 0xd65f03c0u
#define MOV_X8_SIGRETURN 0xd2801168u /* mov x8, #139 (__NR_rt_sigreturn) */
#define SVC_0		 0xd4000001u

struct scan {
	struct unwind_table *table;
	struct unwind_rules *rules;
	size_t cap_rows;
	uint64_t begin; /* ELF addresses of the code */
	uint64_t end;
};

static void put_row(struct scan *scan, uint64_t addr, uint32_t rule)
{
	struct unwind_table *t = scan->table;
	uint32_t row = (uint32_t)(addr & 0xffff) << 16 | rule;

	if (addr >= scan->end)
		return;
	if (t->nr_rows && t->row[t->nr_rows - 1] >> 16 >= (addr & 0xffff)) {
		t->row[t->nr_rows - 1] = (t->row[t->nr_rows - 1] & 0xffff0000) | rule;
		return;
	}
	array_reserve(t->row, scan->cap_rows, (size_t)t->nr_rows + 1);
	t->row[t->nr_rows++] = row;
}

static uint32_t frame_rule(struct scan *scan, uint8_t cfa, uint32_t bytes)
{
	int16_t words = (int16_t)(bytes / 8);
	struct eddy_unwind_rule rule = {
		.cfa = cfa,
		.off = (int32_t)bytes,
		.fp = EDDY_FP_CFA,
		.fp_off8 = (int16_t)-words,
		.ra = EDDY_RA_OFF,
		.aux = (int16_t)(1 - words),
	};

	return unwind_rules_intern(scan->rules, &rule);
}

/* Frame size of a push: a negative 7-bit count of 8 bytes at bit 15. */
static uint32_t push_bytes(uint32_t insn)
{
	return (0x80 - (insn >> 15 & 0x7f)) * 8;
}

static void scan_code(struct scan *scan, const uint8_t *code, uint64_t len)
{
	const struct eddy_unwind_rule in_lr = { .cfa = EDDY_CFA_SP, .ra = EDDY_RA_LR };
	uint32_t leaf = unwind_rules_intern(scan->rules, &in_lr), bytes = 0, insn = 0, last;

	put_row(scan, scan->begin, leaf);
	for (uint64_t i = 0; i + 4 <= len; i += 4) {
		uint64_t next = scan->begin + i + 4;

		last = insn;
		memcpy(&insn, code + i, 4);
		if ((insn & PAIR_MASK) == STP_FP_LR_PUSH && insn >> 21 & 1) {
			bytes = push_bytes(insn);
			put_row(scan, next, frame_rule(scan, EDDY_CFA_SP, bytes));
		} else if (insn == MOV_FP_SP && bytes) {
			put_row(scan, next, frame_rule(scan, EDDY_CFA_FP, bytes));
		} else if ((insn & PAIR_MASK) == LDP_FP_LR_POP || insn == RET) {
			bytes = 0;
			put_row(scan, next, leaf);
		} else if (insn == SVC_0 && last == MOV_X8_SIGRETURN) {
			/* From the word before, where the handler's return address is looked up,
			 * to the word behind, where a task in the system call stands. */
			put_row(scan, i >= 8 ? next - 12 : next - 8, UNWIND_RULE_SIGNAL);
			put_row(scan, next + 4, leaf);
		}
	}
}

void vdso_arm64_build(struct unwind_table *table, const struct elf_source *source,
		      struct unwind_rules *rules)
{
	const struct eddy_unwind_segment *code = &table->segment[0];
	struct scan scan = { .table = table,
			     .rules = rules,
			     .begin = code->begin + code->delta,
			     .end = code->end + code->delta };
	uint64_t len = code->end - code->begin;
	_cleanup_free_ uint8_t *bytes = NULL;

	if ((scan.begin & 0xffff) + len > VDSO_ARM64_MAX_BYTES || scan.begin & 3)
		return;
	bytes = xmalloc(len);
	if (elf_source_read(source, bytes, len, code->begin) < 0)
		return;
	if (scan.begin & 0xffff)
		put_row(&scan, 0, UNWIND_RULE_NONE);
	scan_code(&scan, bytes, len);
	table->kind = EDDY_FILE_TABLE;
	table->page_base = scan.begin >> EDDY_UNWIND_PAGE_SHIFT;
	table->nr_pages = 1;
	table->page = xcalloc(1, sizeof(*table->page));
	table->page[0].nr_rows = table->nr_rows;
}
