/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a frame's registers and stack at one instruction, by following the code from the
 * function's entry: abstract values, of which only those are kept that unwinding needs.
 *
 *	CFA      the caller's stack pointer; the return address stands at CFA - 8
 *	aligned  the stack pointer right after an `and` had aligned it, at an unknown distance
 */
#ifndef EDDY_UNWIND_CODE_STATE_H
#define EDDY_UNWIND_CODE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/x86_effect.h"
#include "unwind_abi.h"

enum code_value_kind {
	CODE_UNKNOWN,
	CODE_ENTRY,   /* what register `reg` held at the entry */
	CODE_CFA,     /* CFA + off */
	CODE_ALIGNED, /* the aligned address + off */
	CODE_ZERO,
};

struct code_value {
	uint8_t kind; /* enum code_value_kind */
	uint8_t reg;
	int32_t off;
};

#define CODE_STATE_SLOTS 16

/* A place on the stack of which the content is known: 8 bytes at CFA, or aligned, + off. */
struct code_slot {
	uint8_t base; /* CODE_CFA, CODE_ALIGNED */
	int32_t off;
	struct code_value value;
	bool is_early; /* put there before any call that may not return */
};

struct code_state {
	struct code_value reg[X86_NR_REGS];
	struct code_slot slot[CODE_STATE_SLOTS];
	uint32_t nr_slots;
	/* The last call behind which this holds, when there is no way to it without: it may be that
	 * such a call never returns.  0: none. */
	uint64_t call;
	/* Registers of the caller that were taken back from where they were saved early. */
	uint16_t restored;
};

/* At the first instruction of a function. */
void code_state_begin(struct code_state *s);
/* Behind an instruction that control may leave in the ordinary way.  Calls keep what the ABI says.
 */
void code_state_apply(struct code_state *s, const struct x86_effect *e);
/* Behind a call that keeps these registers besides. */
void code_state_call(struct code_state *s, uint16_t kept);

enum code_merge { CODE_MERGE_SAME, CODE_MERGE_CHANGED, CODE_MERGE_CONFLICT };
/*
 * Makes *s hold what holds in both.  Conflict: both know the stack pointer and differ, and no frame
 * pointer stands above it; *s is then what it was.
 */
enum code_merge code_state_merge(struct code_state *s, const struct code_state *other);

/* A register holds what it held at the entry. */
static inline bool code_state_holds_entry(const struct code_state *s, uint8_t reg)
{
	return s->reg[reg].kind == CODE_ENTRY && s->reg[reg].reg == reg;
}

/* rbp is a frame pointer by the ABI. */
static inline bool code_state_has_frame_pointer(const struct code_state *s)
{
	return s->reg[X86_BP].kind == CODE_CFA && s->reg[X86_BP].off == -16;
}

/* The stack pointer is that of a function's entry: a `ret` here returns to the caller. */
bool code_state_is_balanced(const struct code_state *s);
/* The same, and the registers that belong to the caller hold what they held. */
bool code_state_is_entry(const struct code_state *s);
/* How many of those were saved before any call that may not return, and were taken back. */
unsigned int code_state_nr_restored(const struct code_state *s);
/*
 * Of registers, those that belong to the caller and hold what they held: a function by the ABI
 * knows nothing of that and saves it at most.
 */
uint16_t code_state_callers(const struct code_state *s, uint16_t registers);
/* Would a call here find the stack aligned as the ABI has it? */
bool code_state_is_aligned(const struct code_state *s);

/* The rule of a frame that is there; EDDY_CFA_NONE: it cannot be told. */
struct eddy_unwind_rule code_state_rule(const struct code_state *s);
/*
 * The same while it waits in a call that is made there: by a register other than rbx only if that
 * is kept, by a function that calls nothing itself (EDDY_CFA_REG).
 */
struct eddy_unwind_rule code_state_rule_in_call(const struct code_state *s, uint16_t kept);

#endif
