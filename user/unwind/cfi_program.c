// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter of call frame instructions.  It holds four columns and the CFA; instructions for
 * other registers are parsed and dropped.  A row is given out when the location moves on.
 */
#include "unwind/cfi_program.h"

#include <dwarf.h>

#include "elf/byte_reader.h"

/* remember_state is never nested in what compilers write; hand-written code gets a few levels. */
#define MAX_REMEMBERED 16

#define DW_CFA_AARCH64_negate_ra_state_with_pc 0x2c
/* 0x2d is DW_CFA_GNU_window_save (SPARC) and DW_CFA_AARCH64_negate_ra_state. */
#define DW_CFA_0x2d 0x2d

struct cfi_run {
	const struct cfi_machine *machine;
	const struct cfi_cie *cie;
	struct byte_reader r;
	struct cfi_row row;
	uint64_t loc;
	uint64_t end;
	cfi_row_fn *row_fn; /* NULL in a CIE */
	void *ctx;
	unsigned int nr_remembered;
	struct cfi_row remembered[MAX_REMEMBERED];
};

static void run_emit(struct cfi_run *run)
{
	struct eddy_unwind_rule rule = cfi_rule(run->machine, &run->row, run->cie->is_signal);

	/* glibc's arm64 helpers for thread-local data return through x15. */
	if (run->cie->is_foreign_ra)
		rule = (struct eddy_unwind_rule){ .cfa = EDDY_CFA_UNSUP };
	run->row_fn(run->ctx, run->loc, &rule);
}

/* Moves the location on by a number of code units; at the FDE's end the rest has no effect. */
static void run_advance(struct cfi_run *run, uint64_t units)
{
	uint64_t bytes;

	if (!units || !run->row_fn)
		return;
	run_emit(run);
	if (__builtin_mul_overflow(units, run->cie->code_align, &bytes) ||
	    bytes >= run->end - run->loc) {
		run->loc = run->end;
		run->r.at = run->r.end;
	} else {
		run->loc += bytes;
	}
}

static void run_set(struct cfi_run *run, uint64_t reg, enum cfi_how how, int64_t off)
{
	unsigned int column = cfi_machine_column(run->machine, reg);

	if (column < NR_CFI_COLUMNS)
		run->row.column[column] = (struct cfi_column){ .how = how, .off = off };
}

static void run_restore(struct cfi_run *run, uint64_t reg)
{
	unsigned int column = cfi_machine_column(run->machine, reg);

	if (column < NR_CFI_COLUMNS)
		run->row.column[column] = run->cie->initial.column[column];
}

/* Factored offset; wraps like the two's complement machine that wrote it. */
static int64_t scaled(const struct cfi_run *run, int64_t factor)
{
	return (int64_t)((uint64_t)factor * (uint64_t)run->cie->data_align);
}

static void run_def_cfa(struct cfi_run *run, uint64_t reg, int64_t off)
{
	run->row.cfa_kind = CFI_CFA_REG;
	run->row.cfa_reg = reg > UINT32_MAX ? UINT32_MAX : (uint32_t)reg;
	run->row.cfa_off = off;
}

/* An offset alone says nothing after an expression. */
static void run_def_cfa_offset(struct cfi_run *run, int64_t off)
{
	if (run->row.cfa_kind != CFI_CFA_REG)
		run->row.cfa_expr = (struct cfi_expression){ .kind = CFI_EXPRESSION_OTHER };
	run->row.cfa_off = off;
}

/* A block: its bytes, or an empty block and a failed reader. */
static struct cfi_expression run_expression(struct cfi_run *run)
{
	uint64_t len = byte_reader_uleb(&run->r);
	const uint8_t *bytes = byte_reader_take(&run->r, len);

	if (!bytes)
		return (struct cfi_expression){ .kind = CFI_EXPRESSION_OTHER };
	return cfi_expression_parse(bytes, (size_t)len);
}

static void run_register_expression(struct cfi_run *run)
{
	uint64_t reg = byte_reader_uleb(&run->r);
	struct cfi_expression expr = run_expression(run);

	if (expr.kind == CFI_EXPRESSION_ADDRESS && expr.reg == run->machine->fp)
		run_set(run, reg, CFI_AT_FP, expr.off);
	else
		run_set(run, reg, CFI_LOST, 0);
}

static void run_remember(struct cfi_run *run)
{
	if (run->nr_remembered == MAX_REMEMBERED)
		byte_reader_fail(&run->r);
	else
		run->remembered[run->nr_remembered++] = run->row;
}

static void run_restore_state(struct cfi_run *run)
{
	if (!run->nr_remembered)
		byte_reader_fail(&run->r);
	else
		run->row = run->remembered[--run->nr_remembered];
}

/* Instructions about the CFA; false: not one of them. */
static bool run_cfa_instruction(struct cfi_run *run, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = byte_reader_uleb(&run->r);
		run_def_cfa(run, reg, (int64_t)byte_reader_uleb(&run->r));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = byte_reader_uleb(&run->r);
		run_def_cfa(run, reg, scaled(run, byte_reader_sleb(&run->r)));
		return true;
	case DW_CFA_def_cfa_register:
		run_def_cfa(run, byte_reader_uleb(&run->r), run->row.cfa_off);
		return true;
	case DW_CFA_def_cfa_offset:
		run_def_cfa_offset(run, (int64_t)byte_reader_uleb(&run->r));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		run_def_cfa_offset(run, scaled(run, byte_reader_sleb(&run->r)));
		return true;
	case DW_CFA_def_cfa_expression:
		run->row.cfa_kind = CFI_CFA_EXPRESSION;
		run->row.cfa_expr = run_expression(run);
		return true;
	default:
		return false;
	}
}

/* Instructions about one register; false: not one of them. */
static bool run_register_instruction(struct cfi_run *run, uint8_t op)
{
	uint64_t reg = byte_reader_uleb(&run->r);

	switch (op) {
	case DW_CFA_offset_extended:
		run_set(run, reg, CFI_AT_CFA, scaled(run, (int64_t)byte_reader_uleb(&run->r)));
		return true;
	case DW_CFA_offset_extended_sf:
		run_set(run, reg, CFI_AT_CFA, scaled(run, byte_reader_sleb(&run->r)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		run_set(run, reg, CFI_AT_CFA,
			scaled(run, (int64_t)(0 - byte_reader_uleb(&run->r))));
		return true;
	case DW_CFA_val_offset:
		run_set(run, reg, CFI_IS_CFA, scaled(run, (int64_t)byte_reader_uleb(&run->r)));
		return true;
	case DW_CFA_val_offset_sf:
		run_set(run, reg, CFI_IS_CFA, scaled(run, byte_reader_sleb(&run->r)));
		return true;
	case DW_CFA_restore_extended:
		run_restore(run, reg);
		return true;
	case DW_CFA_undefined:
		run_set(run, reg, CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		run_set(run, reg, CFI_SAME, 0);
		return true;
	case DW_CFA_register:
		run_set(run, reg, CFI_IN_REG, (int64_t)byte_reader_uleb(&run->r));
		return true;
	default:
		return false;
	}
}

/* Instructions with the upper two bits clear. */
static void run_extended(struct cfi_run *run, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_0x2d:
	case DW_CFA_AARCH64_negate_ra_state_with_pc:
		return;
	case DW_CFA_advance_loc1:
		run_advance(run, byte_reader_u8(&run->r));
		return;
	case DW_CFA_advance_loc2:
		run_advance(run, byte_reader_u16(&run->r));
		return;
	case DW_CFA_advance_loc4:
		run_advance(run, byte_reader_u32(&run->r));
		return;
	case DW_CFA_remember_state:
		run_remember(run);
		return;
	case DW_CFA_restore_state:
		run_restore_state(run);
		return;
	case DW_CFA_expression:
		run_register_expression(run);
		return;
	case DW_CFA_val_expression:
		run_set(run, byte_reader_uleb(&run->r), CFI_LOST, 0);
		run_expression(run);
		return;
	case DW_CFA_GNU_args_size:
		byte_reader_uleb(&run->r);
		return;
	default:
		if (!run_cfa_instruction(run, op) && !run_register_instruction(run, op))
			byte_reader_fail(&run->r);
	}
}

/* Every instruction consumes at least a byte, so the loop is bounded by them. */
static bool run_all(struct cfi_run *run)
{
	while (run->r.at < run->r.end) {
		uint8_t op = byte_reader_u8(&run->r), low = op & 0x3f;

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			run_advance(run, low);
			break;
		case DW_CFA_offset:
			run_set(run, low, CFI_AT_CFA,
				scaled(run, (int64_t)byte_reader_uleb(&run->r)));
			break;
		case DW_CFA_restore:
			run_restore(run, low);
			break;
		default:
			run_extended(run, op);
		}
	}
	return !run->r.failed;
}

/* A program may be empty and nowhere. */
static struct byte_reader reader_of(const uint8_t *code, size_t len)
{
	return (struct byte_reader){ .at = code, .end = len ? code + len : code };
}

bool cfi_program_run_cie(const struct cfi_machine *m, struct cfi_cie *cie)
{
	struct cfi_run run;

	run.machine = m;
	run.cie = cie;
	run.r = reader_of(cie->code, cie->code_len);
	run.row = (struct cfi_row){ .cfa_kind = CFI_CFA_EXPRESSION };
	run.row_fn = NULL;
	run.nr_remembered = 0;
	cie->initial = run.row;
	if (!run_all(&run))
		return false;
	cie->initial = run.row;
	return true;
}

bool cfi_program_run_fde(const struct cfi_machine *m, const struct cfi_cie *cie,
			 const struct cfi_fde *fde, cfi_row_fn *row_fn, void *ctx)
{
	static const struct eddy_unwind_rule unsup = { .cfa = EDDY_CFA_UNSUP };
	struct cfi_run run;

	run.machine = m;
	run.cie = cie;
	run.r = reader_of(fde->code, fde->code_len);
	run.row = cie->initial;
	run.loc = fde->start;
	run.end = fde->end;
	run.row_fn = row_fn;
	run.ctx = ctx;
	run.nr_remembered = 0;
	if (!run_all(&run)) {
		row_fn(ctx, run.loc, &unsup);
		return false;
	}
	if (run.loc < run.end)
		run_emit(&run);
	return true;
}
