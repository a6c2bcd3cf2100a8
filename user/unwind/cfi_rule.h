/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row of call frame information as DWARF has it, cut down to the columns an unwinder of
 * (pc, sp, fp) needs, and its translation to a rule of the tables.
 */
#ifndef EDDY_UNWIND_CFI_RULE_H
#define EDDY_UNWIND_CFI_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cfi_expression.h"
#include "unwind_abi.h"

/* The columns that are followed; others are parsed and forgotten. */
enum cfi_column_nr { CFI_COLUMN_FP, CFI_COLUMN_RA, CFI_COLUMN_BX, CFI_COLUMN_SP, NR_CFI_COLUMNS };

enum cfi_how {
	CFI_SAME,      /* not mentioned, or DW_CFA_same_value */
	CFI_AT_CFA,    /* saved at CFA + off */
	CFI_IS_CFA,    /* its value is CFA + off */
	CFI_AT_FP,     /* saved at fp + off */
	CFI_IN_REG,    /* in the register `off` (DWARF number) */
	CFI_UNDEFINED, /* DW_CFA_undefined */
	CFI_LOST,      /* something else */
};

struct cfi_column {
	enum cfi_how how;
	int64_t off;
};

enum cfi_cfa_kind { CFI_CFA_REG, CFI_CFA_EXPRESSION };

struct cfi_row {
	enum cfi_cfa_kind cfa_kind;
	uint32_t cfa_reg; /* DWARF number; CFI_CFA_REG */
	int64_t cfa_off;
	struct cfi_expression cfa_expr; /* CFI_CFA_EXPRESSION */
	struct cfi_column column[NR_CFI_COLUMNS];
};

/* A machine: DWARF numbers of its registers. */
struct cfi_machine {
	uint16_t elf_machine; /* EM_X86_64, EM_AARCH64 */
	uint8_t sp, fp, ra;
	uint8_t call_bytes; /* by what a look-up steps back from a return address */
	/* cfi_column_nr by DWARF number, NR_CFI_COLUMNS for registers that are not followed. */
	uint8_t column[32];
	uint8_t gpr[32]; /* enum eddy_gpr by DWARF number, EDDY_NR_GPRS: no such register */
};

/* NULL for machines without an unwinder. */
const struct cfi_machine *cfi_machine_find(uint16_t elf_machine);

/* The column of a DWARF register, NR_CFI_COLUMNS when it is not followed. */
static inline unsigned int cfi_machine_column(const struct cfi_machine *m, uint64_t reg)
{
	return reg < sizeof(m->column) ? m->column[reg] : NR_CFI_COLUMNS;
}

/*
 * The rule that does what the row says; EDDY_CFA_UNSUP when there is none.  `signal`: the row is of
 * a frame that the kernel built (augmentation 'S').
 */
struct eddy_unwind_rule cfi_rule(const struct cfi_machine *m, const struct cfi_row *row,
				 bool signal);

#endif
