// SPDX-License-Identifier: GPL-2.0-or-later
/* CFI made for what has none on arm64: entries of .plt, the signal trampoline. */
#include "unwind/cfi_arm64.h"

#include <elf.h>

#include "unit/unit.h"
#include "unwind/unwind_table.h"
#include "util/mem.h"

#define NOP   0xd503201fu
#define BTI_C 0xd503245fu
#define STP   0xa9bf7bf0u /* stp x16, x30, [sp, #-16]! */

static const struct address_range code = { 0x1000, 0x2000 };

struct made {
	struct unwind_rules *rules;
	struct eh_frame eh;
	struct unwind_table table;
};

static void begin(struct made *m)
{
	*m = (struct made){ .rules = unwind_rules_new() };
	eh_frame_init(&m->eh, cfi_machine_find(EM_AARCH64), &code, 1);
}

static void build(struct made *m)
{
	const struct unwind_table_hints hints = { 0 };

	eh_frame_sort(&m->eh);
	unwind_table_build(&m->table, &m->eh, m->rules, &hints);
}

static void end(struct made *m)
{
	eh_frame_deinit(&m->eh);
	unwind_rules_free(m->rules);
	free(m->table.page);
	free(m->table.row);
}

/* The bytes that the frame at addr has pushed; -1 when no rule is known. */
static int pushed(const struct made *m, uint64_t addr)
{
	const struct eddy_unwind_rule *rule =
		unwind_rules_get(m->rules, unwind_table_find(&m->table, addr));

	if (rule->cfa == EDDY_CFA_NONE)
		return -1;
	assert_int_equal(rule->cfa, EDDY_CFA_SP);
	assert_int_equal(rule->fp, EDDY_FP_SAME);
	assert_int_equal(rule->ra, rule->off ? EDDY_RA_CFA : EDDY_RA_LR);
	return rule->off;
}

static void plt(void **state)
{
	static const struct {
		uint32_t head[2];
		uint64_t len;
		int first_pushed; /* -1: the head is a leaf too */
	} known[] = {
		{ { STP, NOP }, 64, 4 },    { { BTI_C, STP }, 80, 8 }, { { NOP, STP }, 64, -1 },
		{ { BTI_C, NOP }, 64, -1 }, { { STP, NOP }, 16, -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		int first = known[i].first_pushed;
		struct made m;

		begin(&m);
		cfi_arm64_add_plt(&m.eh, 0x1100, known[i].len, known[i].head);
		build(&m);
		for (uint64_t at = 0; at < known[i].len; at += 4) {
			bool in_head = first >= 0 && at >= (uint64_t)first && at < 32;

			assert_int_equal(pushed(&m, 0x1100 + at), in_head ? 16 : 0);
		}
		assert_int_equal(pushed(&m, 0x10fc), -1);
		assert_int_equal(pushed(&m, 0x1100 + known[i].len), -1);
		end(&m);
	}
}

static void plt_that_lies(void **state)
{
	static const uint64_t bad[][2] = { { 0x5000, 32 }, /* not code */
					   { 0x1100,
					     UINT64_MAX - 16 } }; /* ends before it begins */
	static const uint32_t head[2] = { STP, NOP };
	struct made m;

	begin(&m);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cfi_arm64_add_plt(&m.eh, bad[i][0], bad[i][1], head);
	assert_int_equal(m.eh.nr_fdes, 0);
	cfi_arm64_add_plt(&m.eh, 0x1ff0, 64, head);
	assert_int_equal(m.eh.fdes[0].end, 0x2000);
	end(&m);
}

static void trampoline(void **state)
{
	static const uint32_t insns[] = { NOP, NOP, NOP, 0xd2801168u, 0xd4000001u, NOP, NOP };
	struct made m;

	begin(&m);
	cfi_arm64_add_trampoline(&m.eh, 0x1200, (const uint8_t *)insns, sizeof(insns) - 12);
	assert_int_equal(m.eh.nr_fdes, 0); /* cut */
	cfi_arm64_add_trampoline(&m.eh, 0x1200, (const uint8_t *)insns, sizeof(insns));
	build(&m);
	assert_int_equal(unwind_table_find(&m.table, 0x1204), UNWIND_RULE_NONE);
	/* The handler returns to the trampoline: looked up at the word before. */
	assert_int_equal(unwind_table_find(&m.table, 0x1208), UNWIND_RULE_SIGNAL);
	assert_int_equal(unwind_table_find(&m.table, 0x1210), UNWIND_RULE_SIGNAL);
	assert_int_equal(unwind_table_find(&m.table, 0x1214), UNWIND_RULE_SIGNAL);
	assert_int_equal(unwind_table_find(&m.table, 0x1218), UNWIND_RULE_NONE);
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plt),
		cmocka_unit_test(plt_that_lies),
		cmocka_unit_test(trampoline),
	};

	return cmocka_run_group_tests_name("cfi_arm64", tests, NULL, NULL);
}
