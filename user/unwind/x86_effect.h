/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one x86-64 instruction does, as far as a stack frame is concerned: how it moves the stack
 * pointer, which registers it copies, saves, restores or spoils, and where control goes.  Zydis
 * decodes; what it does not decode, or what does something to the stack that is not in this list,
 * is refused.
 */
#ifndef EDDY_UNWIND_X86_EFFECT_H
#define EDDY_UNWIND_X86_EFFECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* General registers by their number in instructions. */
enum x86_reg {
	X86_AX,
	X86_CX,
	X86_DX,
	X86_BX,
	X86_SP,
	X86_BP,
	X86_SI,
	X86_DI,
	X86_R8,
	X86_R11 = 11,
	X86_R15 = 15,
	X86_NR_REGS,
	X86_NO_REG = 255
};

enum x86_op {
	X86_OTHER,  /* nothing but `spoils`, and memory at [reg + imm] when reg is one */
	X86_PUSH,   /* reg, or something (X86_NO_REG) */
	X86_POP,    /* reg, or somewhere */
	X86_ADD,    /* reg += imm */
	X86_LEA,    /* reg = from + imm; from X86_NO_REG: the address `target` */
	X86_COPY,   /* reg = from */
	X86_LOAD,   /* reg = [from + imm], 8 bytes */
	X86_STORE,  /* [reg + imm] = from, 8 bytes */
	X86_ZERO,   /* reg = 0 */
	X86_ALIGN,  /* reg &= imm, a negative power of two */
	X86_LEAVE,  /* sp = bp, then pop bp */
	X86_CALL,   /* target, 0: not known */
	X86_JUMP,   /* the same; imm 1: to what a fixed place holds, as stubs do */
	X86_BRANCH, /* to target, or on */
	X86_RETURN, /* imm: bytes taken off the stack besides */
	X86_STOP,   /* control does not go on: ud2, hlt, int3 */
	X86_PAD,    /* nop */
};

struct x86_effect {
	uint8_t len;
	uint8_t op; /* enum x86_op */
	uint8_t reg, from;
	uint8_t store_bytes; /* written at [reg + imm]; X86_OTHER */
	uint16_t spoils;     /* further registers that hold something unknown then, by bit */
	uint16_t uses;	     /* registers that memory is addressed by, or that are jumped to */
	int32_t imm;
	uint64_t target;
};

/* Registers that it writes to, by bit; of a call, those of the call itself. */
uint16_t x86_effect_writes(const struct x86_effect *e);
/* The instruction at `addr`, of at most len bytes; false: refused. */
bool x86_effect_read(const uint8_t *bytes, size_t len, uint64_t addr, struct x86_effect *ret);

#endif
