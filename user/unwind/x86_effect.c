// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instructions that move the stack pointer or carry an address of the stack are told apart one
 * by one; of all others the decoder names the registers that they write.
 */
#include "unwind/x86_effect.h"

#if defined(__x86_64__) && !defined(EDDY_NO_ZYDIS)
#include <Zydis/Zydis.h>

#define SYSCALL_SPOILS (1u << X86_AX | 1u << X86_CX | 1u << X86_R11)

struct decoded {
	uint64_t addr;
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
};

/* The 64-bit register that one of any width is part of. */
static uint8_t whole_register(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return X86_NO_REG;
	return (uint8_t)(whole - ZYDIS_REGISTER_RAX);
}

static uint16_t register_bit(ZydisRegister reg)
{
	uint8_t whole = whole_register(reg);

	return whole == X86_NO_REG ? 0 : (uint16_t)(1u << whole);
}

static bool is_wide_register(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->size == 64 &&
	       whole_register(op->reg.value) != X86_NO_REG;
}

static bool fits(int64_t value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

/* Memory at a register plus a constant. */
static bool is_plain_memory(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.index == ZYDIS_REGISTER_NONE &&
	       op->mem.base != ZYDIS_REGISTER_RIP && op->mem.base != ZYDIS_REGISTER_NONE &&
	       op->mem.segment != ZYDIS_REGISTER_FS && op->mem.segment != ZYDIS_REGISTER_GS &&
	       ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, op->mem.base) == 64 &&
	       fits(op->mem.disp.value);
}

/* Registers and memory that are written, by what the decoder says. */
static void put_writes(const struct decoded *d, struct x86_effect *e)
{
	for (uint8_t i = 0; i < d->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->op[i];

		if (!(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (op->type == ZYDIS_OPERAND_TYPE_REGISTER)
			e->spoils |= register_bit(op->reg.value);
		if (is_plain_memory(op)) {
			e->reg = whole_register(op->mem.base);
			e->imm = (int32_t)op->mem.disp.value;
			e->store_bytes = (uint8_t)(op->size / 8 < 64 ? op->size / 8 : 64);
		}
	}
}

/* ---- control flow ------------------------------------------------------------------------- */

static bool put_branch(const struct decoded *d, struct x86_effect *e)
{
	const ZydisDecodedOperand *op = &d->op[0];
	bool is_near = d->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT ||
		       d->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR;
	ZyanU64 target;

	/* With a prefix of 66 processors differ. */
	if (!is_near || d->insn.operand_width == 16)
		return false;
	if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		if (!op->imm.is_relative ||
		    !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&d->insn, op, d->addr, &target)))
			return false;
		e->target = target;
	}
	switch (d->insn.meta.category) {
	case ZYDIS_CATEGORY_CALL:
		e->op = X86_CALL;
		return true;
	case ZYDIS_CATEGORY_UNCOND_BR:
		e->op = X86_JUMP;
		e->imm =
			op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.base == ZYDIS_REGISTER_RIP;
		return true;
	case ZYDIS_CATEGORY_COND_BR:
		put_writes(d, e); /* loop counts in rcx */
		e->spoils &= (uint16_t) ~(1u << X86_SP);
		e->op = X86_BRANCH;
		return e->target != 0;
	case ZYDIS_CATEGORY_RET:
		e->op = X86_RETURN;
		e->imm = op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? (int32_t)op->imm.value.u : 0;
		return d->insn.mnemonic == ZYDIS_MNEMONIC_RET;
	default:
		return false;
	}
}

/* ---- the stack ---------------------------------------------------------------------------- */

static bool put_push_or_pop(const struct decoded *d, struct x86_effect *e, enum x86_op what)
{
	const ZydisDecodedOperand *op = &d->op[0];

	if (d->insn.operand_width != 64)
		return false;
	e->op = (uint8_t)what;
	e->reg = is_wide_register(op) ? whole_register(op->reg.value) : X86_NO_REG;
	/* A pop to memory addresses it by the new stack pointer. */
	return what == X86_PUSH || e->reg != X86_NO_REG;
}

static bool put_mov(const struct decoded *d, struct x86_effect *e)
{
	const ZydisDecodedOperand *to = &d->op[0], *from = &d->op[1];

	if (is_wide_register(to) && is_wide_register(from)) {
		*e = (struct x86_effect){ .op = X86_COPY,
					  .reg = whole_register(to->reg.value),
					  .from = whole_register(from->reg.value) };
		return true;
	}
	if (is_wide_register(to) && is_plain_memory(from)) {
		*e = (struct x86_effect){ .op = X86_LOAD,
					  .reg = whole_register(to->reg.value),
					  .from = whole_register(from->mem.base),
					  .imm = (int32_t)from->mem.disp.value };
		return true;
	}
	if (is_plain_memory(to) && is_wide_register(from)) {
		*e = (struct x86_effect){ .op = X86_STORE,
					  .reg = whole_register(to->mem.base),
					  .from = whole_register(from->reg.value),
					  .imm = (int32_t)to->mem.disp.value };
		return true;
	}
	return false;
}

static bool put_lea(const struct decoded *d, struct x86_effect *e)
{
	const ZydisDecodedOperand *to = &d->op[0], *from = &d->op[1];
	ZyanU64 target;

	if (!is_wide_register(to))
		return false;
	e->reg = whole_register(to->reg.value);
	if (from->mem.base == ZYDIS_REGISTER_RIP &&
	    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&d->insn, from, d->addr, &target))) {
		e->op = X86_LEA;
		e->from = X86_NO_REG;
		e->target = target;
		return true;
	}
	if (from->mem.index != ZYDIS_REGISTER_NONE || from->mem.base == ZYDIS_REGISTER_NONE ||
	    ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, from->mem.base) != 64 ||
	    !fits(from->mem.disp.value))
		return false;
	e->op = X86_LEA;
	e->from = whole_register(from->mem.base);
	e->imm = (int32_t)from->mem.disp.value;
	return e->from != X86_NO_REG;
}

/* add, sub and and with a constant, xor of a register with itself. */
static bool put_arithmetic(const struct decoded *d, struct x86_effect *e)
{
	const ZydisDecodedOperand *to = &d->op[0], *by = &d->op[1];
	bool is_constant = by->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	int64_t imm = is_constant ? by->imm.value.s : 0;

	if (to->type != ZYDIS_OPERAND_TYPE_REGISTER || to->size < 32)
		return false;
	e->reg = whole_register(to->reg.value);
	if (e->reg == X86_NO_REG)
		return false;
	if (d->insn.mnemonic == ZYDIS_MNEMONIC_XOR) {
		e->op = X86_ZERO;
		return by->type == ZYDIS_OPERAND_TYPE_REGISTER && by->reg.value == to->reg.value;
	}
	if (!is_constant || to->size != 64 || !fits(imm) || imm == INT32_MIN)
		return false;
	e->op = X86_ADD;
	e->imm = (int32_t)(d->insn.mnemonic == ZYDIS_MNEMONIC_SUB ? -imm : imm);
	if (d->insn.mnemonic != ZYDIS_MNEMONIC_AND)
		return true;
	e->op = X86_ALIGN;
	return imm < 0 && !(-imm & (-imm - 1));
}

/* True: one of those that are understood, and *e says so. */
static bool put_understood(const struct decoded *d, struct x86_effect *e)
{
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		return put_mov(d, e);
	case ZYDIS_MNEMONIC_LEA:
		return put_lea(d, e);
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_XOR:
		return put_arithmetic(d, e);
	case ZYDIS_MNEMONIC_SYSCALL:
		e->op = X86_OTHER;
		e->spoils = SYSCALL_SPOILS;
		return true;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3:
		e->op = X86_STOP;
		return true;
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_ENDBR64:
		e->op = d->insn.mnemonic == ZYDIS_MNEMONIC_NOP ? X86_PAD : X86_OTHER;
		return true;
	default:
		return false;
	}
}

/* Any other instruction: what it writes; false: it does more than that. */
static bool put_other(const struct decoded *d, struct x86_effect *e)
{
	*e = (struct x86_effect){ .op = X86_OTHER, .reg = X86_NO_REG, .from = X86_NO_REG };
	switch (d->insn.meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_POP:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
		return false;
	default:
		break;
	}
	if (d->insn.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE ||
	    d->insn.mnemonic == ZYDIS_MNEMONIC_ENTER)
		return false;
	put_writes(d, e);
	return true;
}

static bool put_effect(const struct decoded *d, struct x86_effect *e)
{
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		return put_push_or_pop(d, e, X86_PUSH);
	case ZYDIS_MNEMONIC_POP:
		return put_push_or_pop(d, e, X86_POP);
	case ZYDIS_MNEMONIC_PUSHFQ:
		e->op = X86_PUSH;
		return true;
	case ZYDIS_MNEMONIC_POPFQ:
		e->op = X86_POP;
		return true;
	case ZYDIS_MNEMONIC_LEAVE:
		e->op = X86_LEAVE;
		return d->insn.operand_width == 64;
	default:
		break;
	}
	if (d->insn.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
		return put_branch(d, e);
	return put_understood(d, e) || put_other(d, e);
}

static uint16_t uses_of(const struct decoded *d)
{
	uint16_t uses = 0;

	for (uint8_t i = 0; i < d->insn.operand_count_visible; i++) {
		const ZydisDecodedOperand *op = &d->op[i];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
			uses |= register_bit(op->mem.base) | register_bit(op->mem.index);
		else if (op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			 d->insn.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
			uses |= register_bit(op->reg.value);
	}
	return uses;
}

bool x86_effect_read(const uint8_t *bytes, size_t len, uint64_t addr, struct x86_effect *ret)
{
	ZydisDecoder decoder;
	struct decoded d;

	d.addr = addr;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, len, &d.insn, d.op)))
		return false;
	*ret = (struct x86_effect){ .reg = X86_NO_REG, .from = X86_NO_REG };
	if (!put_effect(&d, ret))
		return false;
	ret->len = d.insn.length;
	/* An address that is only computed is not used: it may be of a place to save something. */
	ret->uses = d.insn.mnemonic == ZYDIS_MNEMONIC_LEA ? 0 : uses_of(&d);
	return true;
}

#else
bool x86_effect_read(const uint8_t *bytes, size_t len, uint64_t addr, struct x86_effect *ret)
{
	return false; /* no program of that machine runs here, or there is nothing to read it by */
}
#endif

uint16_t x86_effect_writes(const struct x86_effect *e)
{
	uint16_t writes = e->spoils;

	switch (e->op) {
	case X86_POP:
	case X86_ADD:
	case X86_LEA:
	case X86_COPY:
	case X86_LOAD:
	case X86_ZERO:
	case X86_ALIGN:
		if (e->reg < X86_NR_REGS)
			writes |= (uint16_t)(1u << e->reg);
		break;
	case X86_LEAVE:
		writes |= 1u << X86_BP;
		break;
	default:
		break;
	}
	return writes;
}
