// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DWARF expressions of CFI, by pattern.  What occurs in 38 million rows of a distribution:
 * register + offset (where a realigned frame saved a register), one load behind that (where such
 * a frame saved the CFA), and the arithmetic of the two kinds of x86-64 PLT.
 */
#include "unwind/cfi_expression.h"

#include <dwarf.h>
#include <stdbool.h>

#include "elf/byte_reader.h"

/* reg + constant: DW_OP_bregN or DW_OP_bregx. */
static bool parse_base(struct byte_reader *r, struct cfi_expression *expr)
{
	uint8_t op = byte_reader_u8(r);
	uint64_t reg;

	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		reg = op - DW_OP_breg0;
	} else if (op == DW_OP_bregx) {
		reg = byte_reader_uleb(r);
	} else {
		return false;
	}
	expr->reg = reg > UINT32_MAX ? UINT32_MAX : (uint32_t)reg;
	expr->off = byte_reader_sleb(r);
	return !r->failed;
}

/* What may stand behind a load: nothing, plus_uconst N, or a small constant and plus. */
static bool parse_add(struct byte_reader *r, int64_t *ret_add)
{
	int64_t add = 0;
	uint8_t op;

	if (byte_reader_left(r)) {
		op = byte_reader_u8(r);
		if (op == DW_OP_plus_uconst)
			add = (int64_t)byte_reader_uleb(r);
		else if (op == DW_OP_consts)
			add = byte_reader_sleb(r);
		else if (op == DW_OP_const1u)
			add = byte_reader_u8(r);
		else if (op == DW_OP_const1s)
			add = (int64_t)(byte_reader_u8(r) ^ 0x80) - 0x80;
		else if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
			add = op - DW_OP_lit0;
		else
			return false;
		if (op != DW_OP_plus_uconst && byte_reader_u8(r) != DW_OP_plus)
			return false;
	}
	if (r->failed || byte_reader_left(r))
		return false;
	*ret_add = add;
	return true;
}

/*
 * breg7(rsp)+8, breg16(rip)+0, lit15, and, lit11 (lit10 with IBT or BND), ge, lit3, shl, plus: a
 * lazy PLT entry pushes its number with its second instruction, which ends at 11 (10) of 16 bytes.
 */
static bool parse_plt(const uint8_t *bytes, size_t len, struct cfi_expression *expr)
{
	static const uint8_t head[] = { DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const uint8_t tail[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };

	if (len != 11 || bytes[0] != DW_OP_breg7 || bytes[1] & 0x80 ||
	    memcmp(bytes + 2, head, sizeof(head)) || memcmp(bytes + 7, tail, sizeof(tail)) ||
	    bytes[6] < DW_OP_lit0 || bytes[6] > DW_OP_lit15)
		return false;
	expr->kind = CFI_EXPRESSION_PLT;
	expr->reg = 7;
	expr->off = bytes[1] & 0x40 ? (int64_t)bytes[1] - 0x80 : bytes[1];
	expr->add = bytes[6] - DW_OP_lit0;
	return true;
}

struct cfi_expression cfi_expression_parse(const uint8_t *bytes, size_t len)
{
	struct byte_reader r = { .at = bytes, .end = bytes + len };
	struct cfi_expression expr = { 0 };
	uint8_t op;

	if (parse_plt(bytes, len, &expr))
		return expr;
	if (!parse_base(&r, &expr))
		return expr;
	if (!byte_reader_left(&r)) {
		expr.kind = CFI_EXPRESSION_ADDRESS;
		return expr;
	}
	op = byte_reader_u8(&r);
	if (op == DW_OP_nop && !byte_reader_left(&r))
		expr.kind = CFI_EXPRESSION_SWITCH;
	else if (op == DW_OP_deref && parse_add(&r, &expr.add))
		expr.kind = CFI_EXPRESSION_DEREF;
	return expr;
}
