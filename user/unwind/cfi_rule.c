// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a row of CFI to a rule.  Equal behaviour gives equal bytes: fields that a kind of rule does
 * not use are zero, so that neighbouring rows can be merged and the dictionary stays small.
 */
#include "unwind/cfi_rule.h"

#include <elf.h>
#include <stddef.h>

#include "unwind/unwind_rules.h"

#define NONE_4	NR_CFI_COLUMNS, NR_CFI_COLUMNS, NR_CFI_COLUMNS, NR_CFI_COLUMNS
#define NO_GPR4 EDDY_NR_GPRS, EDDY_NR_GPRS, EDDY_NR_GPRS, EDDY_NR_GPRS

/* x86-64 psABI, figure 3.36: rax rdx rcx rbx rsi rdi rbp rsp r8-r15, 16 is the return address. */
static const struct cfi_machine x86_64 = {
	.elf_machine = EM_X86_64,
	.sp = 7,
	.fp = 6,
	.ra = 16,
	.call_bytes = 1,
	.column = { NR_CFI_COLUMNS, NR_CFI_COLUMNS, NR_CFI_COLUMNS, CFI_COLUMN_BX, NR_CFI_COLUMNS,
		    NR_CFI_COLUMNS, CFI_COLUMN_FP, CFI_COLUMN_SP, NONE_4, NONE_4, CFI_COLUMN_RA,
		    NR_CFI_COLUMNS, NR_CFI_COLUMNS, NR_CFI_COLUMNS, NONE_4, NONE_4, NONE_4 },
	.gpr = { EDDY_GPR_AX,  EDDY_GPR_DX,  EDDY_GPR_CX,  EDDY_GPR_BX,	 EDDY_GPR_SI,
		 EDDY_GPR_DI,  EDDY_GPR_BP,  EDDY_GPR_SP,  EDDY_GPR_R8,	 EDDY_GPR_R9,
		 EDDY_GPR_R10, EDDY_GPR_R11, EDDY_GPR_R12, EDDY_GPR_R13, EDDY_GPR_R14,
		 EDDY_GPR_R15, NO_GPR4,	     NO_GPR4,	   NO_GPR4,	 NO_GPR4 },
};

/* AADWARF64: x0-x30, 31 is sp; the return address column is the link register. */
static const struct cfi_machine arm64 = {
	.elf_machine = EM_AARCH64,
	.sp = 31,
	.fp = 29,
	.ra = 30,
	.call_bytes = 4,
	.column = { NONE_4, NONE_4, NONE_4, NONE_4, NONE_4, NONE_4, NONE_4, NR_CFI_COLUMNS,
		    CFI_COLUMN_FP, CFI_COLUMN_RA, CFI_COLUMN_SP },
	.gpr = { NO_GPR4, NO_GPR4, NO_GPR4, NO_GPR4, NO_GPR4, NO_GPR4, NO_GPR4, NO_GPR4 },
};

const struct cfi_machine *cfi_machine_find(uint16_t elf_machine)
{
	if (elf_machine == EM_X86_64)
		return &x86_64;
	return elf_machine == EM_AARCH64 ? &arm64 : NULL;
}

static bool fits_s32(int64_t value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

static uint32_t machine_gpr(const struct cfi_machine *m, uint64_t reg)
{
	return reg < sizeof(m->gpr) ? m->gpr[reg] : EDDY_NR_GPRS;
}

static bool put_cfa_expression(const struct cfi_machine *m, const struct cfi_expression *expr,
			       struct eddy_unwind_rule *rule)
{
	if (!fits_s32(expr->off) || expr->add < INT16_MIN || expr->add > INT16_MAX)
		return false;
	rule->off = (int32_t)expr->off;
	rule->aux = (int16_t)expr->add;
	if (expr->kind == CFI_EXPRESSION_PLT && m->elf_machine == EM_X86_64)
		rule->cfa = EDDY_CFA_PLT;
	else if (expr->kind == CFI_EXPRESSION_SWITCH && expr->reg == m->fp)
		rule->cfa = EDDY_CFA_SWITCH;
	else if (expr->kind == CFI_EXPRESSION_DEREF && expr->reg == m->sp)
		rule->cfa = EDDY_CFA_DEREF_SP;
	else if (expr->kind == CFI_EXPRESSION_DEREF && expr->reg == m->fp)
		rule->cfa = EDDY_CFA_DEREF_FP;
	else
		return false;
	return true;
}

static bool put_cfa(const struct cfi_machine *m, const struct cfi_row *row,
		    struct eddy_unwind_rule *rule)
{
	uint32_t reg = row->cfa_reg, gpr;
	int64_t off = row->cfa_off;

	if (row->cfa_kind == CFI_CFA_EXPRESSION) {
		if (row->cfa_expr.kind != CFI_EXPRESSION_ADDRESS)
			return put_cfa_expression(m, &row->cfa_expr, rule);
		reg = row->cfa_expr.reg;
		off = row->cfa_expr.off;
	}
	if (!fits_s32(off))
		return false;
	rule->off = (int32_t)off;
	gpr = machine_gpr(m, reg);
	if (reg == m->sp)
		rule->cfa = EDDY_CFA_SP;
	else if (reg == m->fp)
		rule->cfa = EDDY_CFA_FP;
	else if (gpr < EDDY_NR_GPRS)
		rule->cfa = (uint8_t)(EDDY_CFA_REG + gpr);
	else
		return false;
	return true;
}

static bool put_ra(const struct cfi_machine *m, const struct cfi_column *ra,
		   struct eddy_unwind_rule *rule)
{
	uint32_t gpr;

	switch (ra->how) {
	case CFI_AT_CFA:
		if (ra->off == -8)
			return true;
		if (!unwind_rule_fits_off8(ra->off) || rule->aux)
			return false;
		rule->ra = EDDY_RA_OFF;
		rule->aux = (int16_t)(ra->off / 8);
		return true;
	case CFI_SAME:
		rule->ra = EDDY_RA_LR;
		return m->elf_machine == EM_AARCH64;
	case CFI_IN_REG:
		gpr = machine_gpr(m, (uint64_t)ra->off);
		if (gpr == EDDY_NR_GPRS || rule->aux)
			return false;
		rule->ra = EDDY_RA_REG;
		rule->aux = (int16_t)gpr;
		return true;
	default:
		return false;
	}
}

static void put_fp(const struct cfi_column *fp, struct eddy_unwind_rule *rule)
{
	if (fp->how == CFI_SAME)
		return;
	if ((fp->how != CFI_AT_CFA && fp->how != CFI_AT_FP) || !unwind_rule_fits_off8(fp->off)) {
		rule->fp = EDDY_FP_LOST;
		return;
	}
	rule->fp = fp->how == CFI_AT_CFA ? EDDY_FP_CFA : EDDY_FP_DEREF;
	rule->fp_off8 = (int16_t)(fp->off / 8);
}

/* rbx, for the sake of _dl_runtime_resolve. */
static void put_bx(const struct cfi_column *bx, struct eddy_unwind_rule *rule)
{
	if (bx->how == CFI_SAME)
		return;
	rule->bx = EDDY_BX_LOST;
	/* The end of __builtin_eh_return moves the CFA under registers that are restored already.
	 */
	if (rule->cfa > EDDY_CFA_REG && rule->cfa != EDDY_CFA_REG + EDDY_GPR_BX)
		return;
	if (bx->how == CFI_AT_CFA && !(bx->off & 7) && bx->off < 0 && bx->off > -8 * EDDY_BX_LOST)
		rule->bx = (uint8_t)(-bx->off / 8);
}

/* The caller's sp is the CFA, by the ABI and by every rule. */
static bool sp_is_cfa(const struct cfi_column *sp)
{
	return sp->how == CFI_SAME || (sp->how == CFI_IS_CFA && sp->off == 0);
}

/*
 * glibc's _dl_runtime_resolve of arm64 takes the stack pointer at its entry for the CFA, although
 * the PLT has pushed x16 and x30 above it: a return address at or above the CFA.  The caller's
 * stack pointer is behind it.
 */
static bool cfa_is_low(const struct cfi_machine *m, const struct cfi_row *row)
{
	const struct cfi_column *ra = &row->column[CFI_COLUMN_RA];

	return m->elf_machine == EM_AARCH64 && row->cfa_kind != CFI_CFA_EXPRESSION &&
	       ra->how == CFI_AT_CFA && ra->off >= 0 && ra->off < 64;
}

static struct cfi_row with_cfa_raised(const struct cfi_row *row)
{
	struct cfi_row raised = *row;
	int64_t bytes = (row->column[CFI_COLUMN_RA].off + 8 + 15) & ~15ll;

	raised.cfa_off += bytes;
	for (int i = 0; i < NR_CFI_COLUMNS; i++)
		if (raised.column[i].how == CFI_AT_CFA)
			raised.column[i].off -= bytes;
	return raised;
}

static struct eddy_unwind_rule row_rule(const struct cfi_machine *m, const struct cfi_row *row,
					bool signal)
{
	struct eddy_unwind_rule rule = { 0 };

	if (signal && (row->cfa_kind == CFI_CFA_EXPRESSION || m->elf_machine == EM_AARCH64))
		return (struct eddy_unwind_rule){ .cfa = EDDY_CFA_SIGNAL };
	if (row->column[CFI_COLUMN_RA].how == CFI_UNDEFINED)
		return (struct eddy_unwind_rule){ .cfa = EDDY_CFA_STOP };
	if (!sp_is_cfa(&row->column[CFI_COLUMN_SP]) || !put_cfa(m, row, &rule) ||
	    !put_ra(m, &row->column[CFI_COLUMN_RA], &rule))
		return (struct eddy_unwind_rule){ .cfa = EDDY_CFA_UNSUP };
	put_fp(&row->column[CFI_COLUMN_FP], &rule);
	put_bx(&row->column[CFI_COLUMN_BX], &rule);
	return rule;
}

struct eddy_unwind_rule cfi_rule(const struct cfi_machine *m, const struct cfi_row *row,
				 bool signal)
{
	struct cfi_row raised;

	if (!cfa_is_low(m, row))
		return row_rule(m, row, signal);
	raised = with_cfa_raised(row);
	return row_rule(m, &raised, signal);
}
