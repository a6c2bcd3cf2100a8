// SPDX-License-Identifier: GPL-2.0-or-later
/* What the state of a frame says of its caller, as a rule of the unwinder. */
#include "unwind/code_state.h"
#include "unwind/unwind_rules.h"

/* A register that holds an address by the CFA, other than those of the stack; X86_NO_REG. */
static uint8_t find_cfa_register(const struct code_state *s)
{
	for (int i = 0; i < X86_NR_REGS; i++)
		if (s->reg[i].kind == CODE_CFA)
			return (uint8_t)i;
	return X86_NO_REG;
}

/* A place from which the CFA can be read, addressed by `reg`. */
static const struct code_slot *find_cfa_slot(const struct code_state *s, uint8_t reg)
{
	for (uint32_t i = 0; i < s->nr_slots; i++)
		if (s->reg[reg].kind == CODE_ALIGNED && s->slot[i].base == CODE_ALIGNED &&
		    s->slot[i].value.kind == CODE_CFA)
			return &s->slot[i];
	return NULL;
}

static const uint8_t gpr_of[X86_NR_REGS] = {
	EDDY_GPR_AX,  EDDY_GPR_CX,  EDDY_GPR_DX,  EDDY_GPR_BX,	EDDY_GPR_SP,  EDDY_GPR_BP,
	EDDY_GPR_SI,  EDDY_GPR_DI,  EDDY_GPR_R8,  EDDY_GPR_R9,	EDDY_GPR_R10, EDDY_GPR_R11,
	EDDY_GPR_R12, EDDY_GPR_R13, EDDY_GPR_R14, EDDY_GPR_R15,
};

static bool put_cfa_slot(const struct code_state *s, uint8_t reg, struct eddy_unwind_rule *rule)
{
	const struct code_slot *slot = find_cfa_slot(s, reg);

	if (!slot || slot->value.off < -INT16_MAX || slot->value.off > INT16_MAX)
		return false;
	rule->cfa = reg == X86_SP ? EDDY_CFA_DEREF_SP : EDDY_CFA_DEREF_FP;
	rule->off = slot->off - s->reg[reg].off;
	rule->aux = (int16_t)-slot->value.off;
	return true;
}

static bool put_cfa(const struct code_state *s, struct eddy_unwind_rule *rule)
{
	uint8_t reg;

	/* A frame pointer goes before: calls that take their arguments off the stack keep it. */
	if (s->reg[X86_SP].kind != CODE_CFA || code_state_has_frame_pointer(s)) {
		if (s->reg[X86_BP].kind == CODE_CFA) {
			rule->cfa = EDDY_CFA_FP;
			rule->off = -s->reg[X86_BP].off;
			return true;
		}
		if (put_cfa_slot(s, X86_SP, rule) || put_cfa_slot(s, X86_BP, rule))
			return true;
		reg = find_cfa_register(s);
		if (reg == X86_NO_REG)
			return false;
		rule->cfa = (uint8_t)(EDDY_CFA_REG + gpr_of[reg]);
		rule->off = -s->reg[reg].off;
		return true;
	}
	rule->cfa = EDDY_CFA_SP;
	rule->off = -s->reg[X86_SP].off;
	/* The return address was taken off the stack: it is not there any more. */
	return rule->off >= 8;
}

/* Where a register of the caller was saved, the first place of several; NULL: none is known. */
static const struct code_slot *find_saved(const struct code_state *s, uint8_t reg, uint8_t base)
{
	const struct code_slot *first = NULL;

	for (uint32_t i = 0; i < s->nr_slots; i++)
		if (s->slot[i].base == base && s->slot[i].value.kind == CODE_ENTRY &&
		    s->slot[i].value.reg == reg && (!first || s->slot[i].off > first->off))
			first = &s->slot[i];
	return first;
}

static void put_fp(const struct code_state *s, struct eddy_unwind_rule *rule)
{
	const struct code_slot *slot = find_saved(s, X86_BP, CODE_CFA);
	int32_t off;

	if (code_state_holds_entry(s, X86_BP))
		return;
	rule->fp = EDDY_FP_LOST;
	if (slot && unwind_rule_fits_off8(slot->off)) {
		rule->fp = EDDY_FP_CFA;
		rule->fp_off8 = (int16_t)(slot->off / 8);
		return;
	}
	slot = find_saved(s, X86_BP, CODE_ALIGNED);
	if (!slot || s->reg[X86_BP].kind != CODE_ALIGNED)
		return;
	off = slot->off - s->reg[X86_BP].off;
	if (unwind_rule_fits_off8(off)) {
		rule->fp = EDDY_FP_DEREF;
		rule->fp_off8 = (int16_t)(off / 8);
	}
}

static void put_bx(const struct code_state *s, struct eddy_unwind_rule *rule)
{
	const struct code_slot *slot = find_saved(s, X86_BX, CODE_CFA);

	if (code_state_holds_entry(s, X86_BX))
		return;
	rule->bx = EDDY_BX_LOST;
	if (slot && !(slot->off & 7) && slot->off < 0 && slot->off > -8 * EDDY_BX_LOST)
		rule->bx = (uint8_t)(-slot->off / 8);
}

struct eddy_unwind_rule code_state_rule(const struct code_state *s)
{
	struct eddy_unwind_rule rule = { .ra = EDDY_RA_CODE };
	const struct code_value *sp = &s->reg[X86_SP];

	/* Without a return address, and with rbp cleared: the outermost frame, by the ABI. */
	if (sp->kind == CODE_CFA && sp->off >= 0 && s->reg[X86_BP].kind == CODE_ZERO)
		return (struct eddy_unwind_rule){ .cfa = EDDY_CFA_STOP };
	if (!put_cfa(s, &rule))
		return (struct eddy_unwind_rule){ .cfa = EDDY_CFA_NONE };
	put_fp(s, &rule);
	put_bx(s, &rule);
	return rule;
}

struct eddy_unwind_rule code_state_rule_in_call(const struct code_state *s, uint16_t kept)
{
	struct eddy_unwind_rule before = code_state_rule(s), rule;
	struct code_state behind = *s;

	code_state_call(&behind, kept);
	rule = code_state_rule(&behind);
	if (rule.cfa == EDDY_CFA_NONE)
		return before; /* which cannot be followed there, and ends the stack */
	if (rule.cfa >= EDDY_CFA_REG && rule.cfa != EDDY_CFA_REG + EDDY_GPR_BX)
		rule.aux = 1;
	return rule;
}
