// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions of call frame information, one by one, and the rules that come of them. */
#include "unwind/cfi_program.h"

#include "unit/unit.h"
#include "unit/unwind/cfi_bytes.h"
#include "util/mem.h"

#define MAX_ROWS 64

static struct {
	uint64_t addr[MAX_ROWS];
	struct eddy_unwind_rule rule[MAX_ROWS];
	size_t nr;
	bool ok;
} rows;

static void on_row(void *ctx, uint64_t addr, const struct eddy_unwind_rule *rule)
{
	assert_true(rows.nr < MAX_ROWS);
	assert_true(rows.nr == 0 || addr >= rows.addr[rows.nr - 1]);
	rows.addr[rows.nr] = addr;
	rows.rule[rows.nr++] = *rule;
}

/* Runs an FDE of 0x1000..0x1100 behind the usual CIE of the machine. */
static void run_on(uint16_t machine, bool signal, const uint8_t *code, size_t len)
{
	static const uint8_t x86_64[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };
	static const uint8_t arm64[] = { DW_CFA_def_cfa, 31, 0 };
	const struct cfi_machine *m = cfi_machine_find(machine);
	bool is_arm = machine == EM_AARCH64;
	struct cfi_cie cie = { .code = is_arm ? arm64 : x86_64,
			       .code_len = is_arm ? sizeof(arm64) : sizeof(x86_64),
			       .code_align = is_arm ? 4 : 1,
			       .data_align = -8,
			       .is_signal = signal };
	struct cfi_fde fde = {
		.start = 0x1000, .end = 0x1100, .code = code, .code_len = (uint32_t)len
	};

	rows.nr = 0;
	assert_true(cfi_program_run_cie(m, &cie));
	rows.ok = cfi_program_run_fde(m, &cie, &fde, on_row, NULL);
	assert_true(rows.nr > 0);
}

#define RUN(...)                                                   \
	run_on(EM_X86_64, false, (const uint8_t[]){ __VA_ARGS__ }, \
	       sizeof((const uint8_t[]){ __VA_ARGS__ }))
#define RUN_ARM(...)                                                \
	run_on(EM_AARCH64, false, (const uint8_t[]){ __VA_ARGS__ }, \
	       sizeof((const uint8_t[]){ __VA_ARGS__ }))
#define LAST (&rows.rule[rows.nr - 1])

static void prologue(void **state)
{
	RUN(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
	    DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 6, DW_CFA_advance_loc1, 0x20,
	    DW_CFA_def_cfa, 7, 8, DW_CFA_nop);
	assert_true(rows.ok);
	assert_int_equal(rows.nr, 4);
	assert_int_equal(rows.addr[3], 0x1024);
	assert_int_equal(rows.rule[0].cfa, EDDY_CFA_SP);
	assert_int_equal(rows.rule[0].off, 8);
	assert_int_equal(rows.rule[1].off, 16);
	assert_int_equal(rows.rule[1].fp, EDDY_FP_CFA);
	assert_int_equal(rows.rule[1].fp_off8, -2);
	assert_int_equal(rows.rule[2].cfa, EDDY_CFA_FP);
	assert_int_equal(rows.rule[2].off, 16);
	assert_int_equal(rows.rule[3].cfa, EDDY_CFA_SP);
	assert_int_equal(rows.rule[3].ra, EDDY_RA_CFA);
}

static void columns(void **state)
{
	RUN(DW_CFA_offset_extended, 6, 3);
	assert_int_equal(LAST->fp_off8, -3);
	RUN(DW_CFA_offset_extended_sf, 6, 0x7d);
	assert_int_equal(LAST->fp_off8, 3);
	RUN(DW_CFA_GNU_negative_offset_extended, 6, 4);
	assert_int_equal(LAST->fp_off8, 4);
	RUN(DW_CFA_offset | 6, 2, DW_CFA_restore | 6);
	assert_int_equal(LAST->fp, EDDY_FP_SAME);
	RUN(DW_CFA_offset | 6, 2, DW_CFA_restore_extended, 6);
	assert_int_equal(LAST->fp, EDDY_FP_SAME);
	RUN(DW_CFA_offset | 6, 2, DW_CFA_same_value, 6);
	assert_int_equal(LAST->fp, EDDY_FP_SAME);
	RUN(DW_CFA_undefined, 6);
	assert_int_equal(LAST->fp, EDDY_FP_LOST);
	RUN(DW_CFA_register, 6, 9);
	assert_int_equal(LAST->fp, EDDY_FP_LOST);
	RUN(DW_CFA_val_expression, 6, 1, DW_OP_lit0);
	assert_int_equal(LAST->fp, EDDY_FP_LOST);
	RUN(DW_CFA_expression, 6, 2, DW_OP_breg6, 0x78);
	assert_int_equal(LAST->fp, EDDY_FP_DEREF);
	assert_int_equal(LAST->fp_off8, -1);
	RUN(DW_CFA_offset | 3, 7);
	assert_int_equal(LAST->bx, 7);
	RUN(DW_CFA_undefined, 3);
	assert_int_equal(LAST->bx, EDDY_BX_LOST);
	RUN(DW_CFA_offset | 12, 7, DW_CFA_undefined, 0xff, 0x01, DW_CFA_GNU_args_size, 0x20);
	assert_int_equal(LAST->bx, EDDY_BX_SAME);
	assert_true(rows.ok);
}

static void return_address(void **state)
{
	RUN(DW_CFA_undefined, 16);
	assert_int_equal(LAST->cfa, EDDY_CFA_STOP);
	RUN(DW_CFA_register, 16, 5, DW_CFA_def_cfa_offset, 0);
	assert_int_equal(LAST->ra, EDDY_RA_REG);
	assert_int_equal(LAST->aux, EDDY_GPR_DI);
	RUN(DW_CFA_offset | 16, 3);
	assert_int_equal(LAST->ra, EDDY_RA_OFF);
	assert_int_equal(LAST->aux, -3);
	RUN(DW_CFA_same_value, 16);
	assert_int_equal(LAST->cfa, EDDY_CFA_UNSUP);
	/* longjmp: the caller's stack pointer is in a register, not the CFA. */
	RUN(DW_CFA_def_cfa, 5, 0, DW_CFA_register, 7, 8, DW_CFA_register, 16, 1);
	assert_int_equal(LAST->cfa, EDDY_CFA_UNSUP);
	RUN(DW_CFA_val_offset, 7, 0);
	assert_int_equal(LAST->cfa, EDDY_CFA_SP);
}

static void cfa_kinds(void **state)
{
	RUN(DW_CFA_def_cfa, 10, 0);
	assert_int_equal(LAST->cfa, EDDY_CFA_REG + EDDY_GPR_R10);
	RUN(DW_CFA_def_cfa, 3, 24);
	assert_int_equal(LAST->cfa, EDDY_CFA_REG + EDDY_GPR_BX);
	RUN(DW_CFA_def_cfa, 99, 24);
	assert_int_equal(LAST->cfa, EDDY_CFA_UNSUP);
	RUN(DW_CFA_def_cfa_sf, 6, 0x7e);
	assert_int_equal(LAST->cfa, EDDY_CFA_FP);
	assert_int_equal(LAST->off, 16);
	RUN(DW_CFA_def_cfa_offset_sf, 0x7c);
	assert_int_equal(LAST->off, 32);
	RUN(DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref);
	assert_int_equal(LAST->cfa, EDDY_CFA_DEREF_FP);
	assert_int_equal(LAST->off, -8);
	RUN(DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 16, DW_OP_deref, DW_OP_plus_uconst, 8);
	assert_int_equal(LAST->cfa, EDDY_CFA_DEREF_SP);
	assert_int_equal(LAST->off, 16);
	assert_int_equal(LAST->aux, 8);
	RUN(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 24);
	assert_int_equal(LAST->cfa, EDDY_CFA_SP);
	assert_int_equal(LAST->off, 24);
	for (uint8_t threshold = 10; threshold <= 11; threshold++) {
		RUN(DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
		    DW_OP_and, DW_OP_lit0 + threshold, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus);
		assert_int_equal(LAST->cfa, EDDY_CFA_PLT);
		assert_int_equal(LAST->off, 8);
		assert_int_equal(LAST->aux, threshold);
	}
	RUN(DW_CFA_def_cfa_expression, 2, DW_OP_lit0, DW_OP_deref);
	assert_int_equal(LAST->cfa, EDDY_CFA_UNSUP);
	RUN(DW_CFA_def_cfa_expression, 2, DW_OP_lit0, DW_OP_deref, DW_CFA_def_cfa_offset, 8);
	assert_int_equal(LAST->cfa, EDDY_CFA_UNSUP);
	assert_true(rows.ok);
}

static void signal_frames(void **state)
{
	/* __restore_rt: CFA = *(rsp + 160). */
	static const uint8_t code[] = {
		DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 0x01, DW_OP_deref
	};

	run_on(EM_X86_64, true, code, sizeof(code));
	assert_int_equal(LAST->cfa, EDDY_CFA_SIGNAL);
	run_on(EM_X86_64, true, NULL, 0);
	assert_int_equal(LAST->cfa, EDDY_CFA_SP);
	run_on(EM_AARCH64, true, NULL, 0);
	assert_int_equal(LAST->cfa, EDDY_CFA_SIGNAL);
}

static void arm64_frames(void **state)
{
	RUN_ARM(0x2d, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 48, DW_CFA_offset | 29, 6,
		DW_CFA_offset | 30, 5, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_register, 29);
	assert_true(rows.ok);
	assert_int_equal(rows.nr, 3);
	assert_int_equal(rows.rule[0].ra, EDDY_RA_LR);
	assert_int_equal(rows.rule[0].off, 0);
	assert_int_equal(rows.addr[1], 0x1004);
	assert_int_equal(rows.rule[1].fp_off8, -6);
	assert_int_equal(rows.rule[1].ra, EDDY_RA_OFF);
	assert_int_equal(rows.rule[1].aux, -5);
	assert_int_equal(rows.rule[2].cfa, EDDY_CFA_FP);
	RUN_ARM(DW_CFA_undefined, 30);
	assert_int_equal(LAST->cfa, EDDY_CFA_STOP);
	/* _dl_runtime_resolve: x30 at CFA + 8, so the caller's sp is CFA + 16. */
	RUN_ARM(DW_CFA_offset_extended_sf, 30, 0x7f, DW_CFA_offset | 29, 2, DW_CFA_def_cfa_offset,
		48);
	assert_int_equal(LAST->cfa, EDDY_CFA_SP);
	assert_int_equal(LAST->off, 64);
	assert_int_equal(LAST->ra, EDDY_RA_CFA);
	assert_int_equal(LAST->fp_off8, -4);
}

static void remembered_rows(void **state)
{
	uint8_t deep[40];

	RUN(DW_CFA_def_cfa_offset, 64, DW_CFA_remember_state, DW_CFA_advance_loc | 1,
	    DW_CFA_def_cfa_offset, 8, DW_CFA_advance_loc | 1, DW_CFA_restore_state);
	assert_true(rows.ok);
	assert_int_equal(rows.nr, 3);
	assert_int_equal(rows.rule[0].off, 64);
	assert_int_equal(rows.rule[1].off, 8);
	assert_int_equal(rows.rule[2].off, 64);
	RUN(DW_CFA_restore_state);
	assert_false(rows.ok);
	assert_int_equal(LAST->cfa, EDDY_CFA_UNSUP);
	memset(deep, DW_CFA_remember_state, sizeof(deep));
	run_on(EM_X86_64, false, deep, 16);
	assert_true(rows.ok);
	run_on(EM_X86_64, false, deep, 17);
	assert_false(rows.ok);
}

static void the_end_of_the_function(void **state)
{
	RUN(DW_CFA_advance_loc1, 0xff, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc | 1,
	    DW_CFA_def_cfa_offset, 24);
	assert_true(rows.ok);
	assert_int_equal(rows.nr, 2);
	RUN(DW_CFA_advance_loc4, 0xff, 0xff, 0xff, 0xff, 0x3f);
	assert_true(rows.ok);
	assert_int_equal(rows.nr, 1);
	RUN(DW_CFA_advance_loc2, 0, 0, DW_CFA_def_cfa_offset, 16);
	assert_int_equal(rows.nr, 1);
	assert_int_equal(LAST->off, 16);
}

static void malformed(void **state)
{
	RUN(0x3f);
	assert_false(rows.ok);
	RUN(DW_CFA_def_cfa_expression, 0x7f, DW_OP_breg7);
	assert_false(rows.ok);
	RUN(DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80);
	assert_false(rows.ok);
	RUN(DW_CFA_advance_loc | 4, DW_CFA_advance_loc2, 1);
	assert_false(rows.ok);
	assert_int_equal(LAST->cfa, EDDY_CFA_UNSUP);
	assert_int_equal(rows.addr[rows.nr - 1], 0x1004);
	/* Offsets that no rule can hold. */
	RUN(DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01);
	assert_int_equal(LAST->cfa, EDDY_CFA_UNSUP);
	RUN(DW_CFA_offset | 6, 0x80, 0x80, 0x80, 0x01);
	assert_int_equal(LAST->fp, EDDY_FP_LOST);
	RUN(DW_CFA_offset | 3, 0x80, 0x80, 0x80, 0x01);
	assert_int_equal(LAST->bx, EDDY_BX_LOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prologue),	   cmocka_unit_test(columns),
		cmocka_unit_test(return_address),  cmocka_unit_test(cfa_kinds),
		cmocka_unit_test(signal_frames),   cmocka_unit_test(arm64_frames),
		cmocka_unit_test(remembered_rows), cmocka_unit_test(the_end_of_the_function),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests_name("cfi_program", tests, NULL, NULL);
}
