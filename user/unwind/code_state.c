// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers that a call may change are forgotten at each; so is the content of a place that is
 * written.  Memory that is not addressed by a known stack address is taken to be elsewhere, as a
 * program that overwrites its own saved registers does not come back.
 */
#include "unwind/code_state.h"

#include <string.h>

#define RED_ZONE_BYTES	128
#define MAX_FRAME_BYTES (1 << 24)
/* Kept over calls: rbx, rsp, rbp, r12 to r15. */
#define CALLEE_SAVED (1u << X86_BX | 1u << X86_SP | 1u << X86_BP | 0xf000u)

static const struct code_value unknown = { .kind = CODE_UNKNOWN };

static bool is_address(const struct code_value *v)
{
	return v->kind == CODE_CFA || v->kind == CODE_ALIGNED;
}

static bool is_equal(const struct code_value *a, const struct code_value *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->off == b->off;
}

/* An address further on; too far: unknown. */
static struct code_value plus(const struct code_value *v, int64_t by)
{
	struct code_value sum = *v;
	int64_t off = v->off + by;

	if (!is_address(v) || off > MAX_FRAME_BYTES || off < -MAX_FRAME_BYTES)
		return unknown;
	sum.off = (int32_t)off;
	return sum;
}

void code_state_begin(struct code_state *s)
{
	memset(s, 0, sizeof(*s));
	for (int i = 0; i < X86_NR_REGS; i++)
		if (CALLEE_SAVED & 1u << i)
			s->reg[i] = (struct code_value){ .kind = CODE_ENTRY, .reg = (uint8_t)i };
	s->reg[X86_SP] = (struct code_value){ .kind = CODE_CFA, .off = -8 };
}

/* ---- memory ------------------------------------------------------------------------------- */

static void slot_drop(struct code_state *s, uint32_t i)
{
	s->slot[i] = s->slot[--s->nr_slots];
}

/* Something is written there. */
static void slots_overwrite(struct code_state *s, const struct code_value *at, uint32_t bytes)
{
	for (uint32_t i = s->nr_slots; is_address(at) && i-- > 0;) {
		const struct code_slot *slot = &s->slot[i];

		if (slot->base == at->kind && slot->off < at->off + (int32_t)bytes &&
		    at->off < slot->off + 8)
			slot_drop(s, i);
	}
}

static void slot_store(struct code_state *s, const struct code_value *at,
		       const struct code_value *value)
{
	slots_overwrite(s, at, 8);
	if (!is_address(at) || (value->kind != CODE_ENTRY && !is_address(value)) ||
	    s->nr_slots == CODE_STATE_SLOTS)
		return;
	s->slot[s->nr_slots++] = (struct code_slot){ at->kind, at->off, *value, !s->call };
}

/* NULL: what stands there is not known. */
static const struct code_slot *slot_find(const struct code_state *s, const struct code_value *at)
{
	for (uint32_t i = 0; is_address(at) && i < s->nr_slots; i++)
		if (s->slot[i].base == at->kind && s->slot[i].off == at->off)
			return &s->slot[i];
	return NULL;
}

/* A register takes what stands there. */
static void slot_load(struct code_state *s, uint8_t reg, const struct code_value *at)
{
	const struct code_slot *slot = slot_find(s, at);

	if (reg >= X86_NR_REGS)
		return;
	s->reg[reg] = slot ? slot->value : unknown;
	s->restored &= (uint16_t) ~(1u << reg);
	if (slot && slot->is_early && code_state_holds_entry(s, reg))
		s->restored |= (uint16_t)(1u << reg);
}

/* What stands below the red zone may be written over by a signal handler. */
static void slots_expire(struct code_state *s)
{
	const struct code_value *sp = &s->reg[X86_SP];

	for (uint32_t i = s->nr_slots; is_address(sp) && i-- > 0;)
		if (s->slot[i].base == sp->kind && s->slot[i].off < sp->off - RED_ZONE_BYTES)
			slot_drop(s, i);
}

/* ---- instructions ------------------------------------------------------------------------- */

static void push(struct code_state *s, const struct code_value *value)
{
	s->reg[X86_SP] = plus(&s->reg[X86_SP], -8);
	slot_store(s, &s->reg[X86_SP], value);
}

static void pop(struct code_state *s, uint8_t reg)
{
	struct code_value at = s->reg[X86_SP];

	s->reg[X86_SP] = plus(&at, 8);
	slot_load(s, reg, &at);
}

void code_state_call(struct code_state *s, uint16_t kept)
{
	const struct code_value *sp = &s->reg[X86_SP];

	for (int i = 0; i < X86_NR_REGS; i++)
		if (!((CALLEE_SAVED | kept) & 1u << i))
			s->reg[i] = unknown;
	/* All below the stack pointer is the callee's. */
	for (uint32_t i = s->nr_slots; i-- > 0;)
		if (s->slot[i].base == sp->kind && s->slot[i].off < sp->off)
			slot_drop(s, i);
}

/* A new base: what was known by an older one is gone. */
static struct code_value align(struct code_state *s, const struct code_value *from)
{
	if (from->kind != CODE_CFA)
		return unknown;
	for (int i = 0; i < X86_NR_REGS; i++)
		if (s->reg[i].kind == CODE_ALIGNED)
			s->reg[i] = unknown;
	for (uint32_t i = s->nr_slots; i-- > 0;)
		if (s->slot[i].base == CODE_ALIGNED || s->slot[i].value.kind == CODE_ALIGNED)
			slot_drop(s, i);
	return (struct code_value){ .kind = CODE_ALIGNED };
}

static void apply_move(struct code_state *s, const struct x86_effect *e)
{
	struct code_value at, value;

	switch (e->op) {
	case X86_ADD:
		s->reg[e->reg] = plus(&s->reg[e->reg], e->imm);
		break;
	case X86_LEA:
		s->reg[e->reg] = e->from < X86_NR_REGS ? plus(&s->reg[e->from], e->imm) : unknown;
		break;
	case X86_COPY:
		s->reg[e->reg] = s->reg[e->from];
		break;
	case X86_LOAD:
		at = plus(&s->reg[e->from], e->imm);
		slot_load(s, e->reg, &at);
		break;
	case X86_STORE:
		at = plus(&s->reg[e->reg], e->imm);
		value = s->reg[e->from];
		slot_store(s, &at, &value);
		break;
	case X86_ZERO:
		s->reg[e->reg] = (struct code_value){ .kind = CODE_ZERO };
		break;
	case X86_ALIGN:
		s->reg[e->reg] = e->reg == X86_SP ? align(s, &s->reg[X86_SP]) : unknown;
		break;
	default:
		break;
	}
}

static void apply_other(struct code_state *s, const struct x86_effect *e)
{
	struct code_value at;

	if (e->reg < X86_NR_REGS && e->store_bytes) {
		at = plus(&s->reg[e->reg], e->imm);
		slots_overwrite(s, &at, e->store_bytes);
	}
	for (uint32_t left = e->spoils; left; left &= left - 1)
		s->reg[__builtin_ctz(left)] = unknown;
}

void code_state_apply(struct code_state *s, const struct x86_effect *e)
{
	struct code_value value = unknown;

	switch (e->op) {
	case X86_PUSH:
		if (e->reg < X86_NR_REGS)
			value = s->reg[e->reg];
		push(s, &value);
		break;
	case X86_POP:
		pop(s, e->reg);
		break;
	case X86_LEAVE:
		s->reg[X86_SP] = s->reg[X86_BP];
		pop(s, X86_BP);
		break;
	case X86_CALL:
		code_state_call(s, 0);
		break;
	case X86_OTHER:
	case X86_BRANCH:
	case X86_PAD:
		apply_other(s, e);
		if (!(e->spoils & 1u << X86_SP))
			return;
		break;
	default:
		apply_move(s, e);
		break;
	}
	slots_expire(s);
}

/* ---- where two ways meet ------------------------------------------------------------------ */

static bool sp_conflicts(const struct code_state *a, const struct code_state *b)
{
	return is_address(&a->reg[X86_SP]) && is_address(&b->reg[X86_SP]) &&
	       !is_equal(&a->reg[X86_SP], &b->reg[X86_SP]) &&
	       !(code_state_has_frame_pointer(a) && code_state_has_frame_pointer(b));
}

enum code_merge code_state_merge(struct code_state *s, const struct code_state *other)
{
	enum code_merge result = CODE_MERGE_SAME;

	if (sp_conflicts(s, other))
		return CODE_MERGE_CONFLICT;
	for (int i = 0; i < X86_NR_REGS; i++) {
		if (s->reg[i].kind == CODE_UNKNOWN || is_equal(&s->reg[i], &other->reg[i]))
			continue;
		s->reg[i] = unknown;
		result = CODE_MERGE_CHANGED;
	}
	for (uint32_t i = s->nr_slots; i-- > 0;) {
		struct code_value at = { .kind = s->slot[i].base, .off = s->slot[i].off };
		const struct code_slot *there = slot_find(other, &at);

		if (!there || !is_equal(&there->value, &s->slot[i].value)) {
			slot_drop(s, i);
			result = CODE_MERGE_CHANGED;
		} else if (s->slot[i].is_early && !there->is_early) {
			s->slot[i].is_early = false;
			result = CODE_MERGE_CHANGED;
		}
	}
	if (s->restored & ~other->restored) {
		s->restored &= other->restored;
		result = CODE_MERGE_CHANGED;
	}
	if (s->call && !other->call) {
		s->call = 0;
		result = CODE_MERGE_CHANGED;
	}
	return result;
}

/* ---- what it means ------------------------------------------------------------------------ */

bool code_state_is_balanced(const struct code_state *s)
{
	return s->reg[X86_SP].kind == CODE_CFA && s->reg[X86_SP].off == -8;
}

bool code_state_is_entry(const struct code_state *s)
{
	for (int i = 0; i < X86_NR_REGS; i++)
		if (CALLEE_SAVED & 1u << i && i != X86_SP && !code_state_holds_entry(s, (uint8_t)i))
			return false;
	return code_state_is_balanced(s);
}

unsigned int code_state_nr_restored(const struct code_state *s)
{
	unsigned int nr = 0;

	for (uint32_t left = s->restored; left; left &= left - 1)
		nr += code_state_holds_entry(s, (uint8_t)__builtin_ctz(left));
	return nr;
}

uint16_t code_state_callers(const struct code_state *s, uint16_t registers)
{
	uint16_t callers = 0;

	for (uint32_t left = registers & CALLEE_SAVED; left; left &= left - 1)
		if (code_state_holds_entry(s, (uint8_t)__builtin_ctz(left)))
			callers |= (uint16_t)(left & -left);
	return callers;
}

bool code_state_is_aligned(const struct code_state *s)
{
	return s->reg[X86_SP].kind != CODE_CFA || s->reg[X86_SP].off % 16 == 0;
}
