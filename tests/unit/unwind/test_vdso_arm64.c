// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules read off instructions: a leaf, a function with a frame, and the signal trampoline. */
#include "unwind/vdso_arm64.h"

#include "unit/unit.h"
#include "util/mem.h"

#define NOP 0xd503201fu
#define RET 0xd65f03c0u

static const uint32_t code[] = {
	NOP,	     RET, /* 0x300: a leaf */
	0xa9bd7bfdu,	  /* 0x308: stp x29, x30, [sp, #-48]! */
	0x910003fdu,	  /* 0x30c: mov x29, sp */
	NOP,		  /* 0x310 */
	0xa8c37bfdu,	  /* 0x314: ldp x29, x30, [sp], #48 */
	RET,		  /* 0x318 */
	NOP,		  /* 0x31c: for unwinders that look up the word before */
	0xd2801168u,	  /* 0x320: mov x8, #139 */
	0xd4000001u,	  /* 0x324: svc #0 */
	NOP,		  /* 0x328: where a task in the system call stands */
	NOP,		  /* 0x32c */
};

static struct unwind_table *build(struct unwind_rules *rules, uint64_t offset, uint64_t len)
{
	static uint8_t file[0x400];
	struct elf_source source = elf_source_from_bytes(file, sizeof(file));
	struct unwind_table *t = xcalloc(1, sizeof(*t));

	memcpy(file + 0x300, code, sizeof(code));
	t->kind = EDDY_FILE_NOTABLE;
	t->nr_segments = 1;
	t->segment[0] = (struct eddy_unwind_segment){ offset, offset + len, 0 };
	vdso_arm64_build(t, &source, rules);
	return t;
}

static void reads_frames(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *t = build(rules, 0x300, sizeof(code));
	const struct eddy_unwind_rule *rule;

	assert_int_equal(t->kind, EDDY_FILE_TABLE);
	assert_int_equal(unwind_table_find(t, 0x2fc), UNWIND_RULE_NONE);
	rule = unwind_rules_get(rules, unwind_table_find(t, 0x300));
	assert_int_equal(rule->ra, EDDY_RA_LR);
	assert_int_equal(unwind_table_find(t, 0x308), unwind_table_find(t, 0x300));
	rule = unwind_rules_get(rules, unwind_table_find(t, 0x30c));
	assert_int_equal(rule->cfa, EDDY_CFA_SP);
	assert_int_equal(rule->off, 48);
	assert_int_equal(rule->fp_off8, -6);
	assert_int_equal(rule->ra, EDDY_RA_OFF);
	assert_int_equal(rule->aux, -5);
	rule = unwind_rules_get(rules, unwind_table_find(t, 0x310));
	assert_int_equal(rule->cfa, EDDY_CFA_FP);
	assert_int_equal(rule->off, 48);
	assert_int_equal(unwind_table_find(t, 0x318), unwind_table_find(t, 0x300));
	assert_int_equal(unwind_table_find(t, 0x31c), UNWIND_RULE_SIGNAL);
	assert_int_equal(unwind_table_find(t, 0x328), UNWIND_RULE_SIGNAL);
	assert_int_equal(unwind_table_find(t, 0x32c), unwind_table_find(t, 0x300));
}

static void refuses_what_it_cannot_read(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	static const uint64_t bad[][2] = { { 0x300, 0x1000 }, { 0x302, 0x20 }, { 0, 70000 } };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct unwind_table *t = build(rules, bad[i][0], bad[i][1]);

		assert_int_equal(t->kind, EDDY_FILE_NOTABLE);
		assert_int_equal(t->nr_pages, 0);
		unwind_table_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_frames),
		cmocka_unit_test(refuses_what_it_cannot_read),
	};

	return cmocka_run_group_tests_name("vdso_arm64", tests, NULL, NULL);
}
