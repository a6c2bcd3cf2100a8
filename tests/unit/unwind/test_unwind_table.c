// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows and pages of hand-made FDEs, and of real ones with random bytes flipped. */
#include "unwind/unwind_table.h"

#include "unit/unit.h"
#include "unit/unwind/cfi_bytes.h"
#include "util/mem.h"

#define BEGIN 0x10000
#define END   0x80000

static const struct address_range code = { BEGIN, END };
static const uint8_t frame_16[] = { DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16 };
static const uint8_t root[] = { DW_CFA_undefined, 16 };

static struct unwind_table *build(const struct cfi_bytes *c, struct unwind_rules *rules,
				  const struct unwind_table_hints *hints)
{
	static const struct unwind_table_hints none = { 0 };
	struct unwind_table *table = xcalloc(1, sizeof(*table));
	struct cfi_section section = cfi_section(c);
	struct eh_frame eh;

	eh_frame_init(&eh, cfi_machine_find(EM_X86_64), &code, 1);
	eh_frame_add(&eh, &section);
	eh_frame_sort(&eh);
	unwind_table_build(table, &eh, rules, hints ? hints : &none);
	eh_frame_deinit(&eh);
	return table;
}

static const struct eddy_unwind_rule *rule_at(const struct unwind_table *t,
					      const struct unwind_rules *rules, uint64_t addr)
{
	return unwind_rules_get(rules, unwind_table_find(t, addr));
}

/* Pages begin at 0 and follow each other; rows rise and differ from their neighbours. */
static void well_formed(const struct unwind_table *t, const struct unwind_rules *rules)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < t->nr_pages; i++) {
		const uint32_t *row = t->row + t->page[i].first;

		assert_int_equal(t->page[i].first, next);
		assert_true(t->page[i].nr_rows >= 1);
		assert_int_equal(row[0] >> 16, 0);
		for (uint32_t k = 0; k < t->page[i].nr_rows; k++) {
			assert_true((row[k] & 0xffff) < unwind_rules_count(rules));
			assert_true(k == 0 || row[k] >> 16 > row[k - 1] >> 16);
			assert_true(k == 0 || (row[k] & 0xffff) != (row[k - 1] & 0xffff));
		}
		next += t->page[i].nr_rows;
	}
	assert_int_equal(next, t->nr_rows);
}

static void neighbours_are_merged(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *t = NULL;
	struct cfi_bytes c = { .n = 0 };
	size_t cie = put_cie(&c, "zR");

	put_fde(&c, cie, 0x20000, 0x40, NULL, 0);
	put_fde(&c, cie, 0x20040, 0x40, NULL, 0);
	put_fde(&c, cie, 0x2008f, 0x40, NULL, 0); /* 15 bytes of padding before it */
	put_fde(&c, cie, 0x200df, 0x40, NULL, 0); /* 16 bytes of nothing before it */
	t = build(&c, rules, NULL);
	assert_int_equal(t->kind, EDDY_FILE_TABLE);
	assert_int_equal(t->nr_raw_rows, 4);
	assert_int_equal(t->nr_pages, 1);
	assert_int_equal(t->page_base, 2);
	/* rule, nothing, rule, nothing: the first FDE took over the page's row for offset 0. */
	assert_int_equal(t->nr_rows, 4);
	assert_int_equal(rule_at(t, rules, 0x20085)->cfa, EDDY_CFA_SP);
	assert_int_equal(rule_at(t, rules, 0x200cf)->cfa, EDDY_CFA_NONE);
	assert_int_equal(rule_at(t, rules, 0x200df)->cfa, EDDY_CFA_SP);
	assert_int_equal(rule_at(t, rules, 0x2011f)->cfa, EDDY_CFA_NONE);
	assert_int_equal(rule_at(t, rules, 0x1ffff)->cfa, EDDY_CFA_NONE);
	assert_int_equal(rule_at(t, rules, 0x30000)->cfa, EDDY_CFA_NONE);
	well_formed(t, rules);
}

static void pages_repeat_what_is_in_force(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *t = NULL;
	struct cfi_bytes c = { .n = 0 };
	size_t cie = put_cie(&c, "zR");

	put_fde(&c, cie, 0x2fffe, 0x20010, frame_16, sizeof(frame_16));
	t = build(&c, rules, NULL);
	assert_int_equal(t->nr_pages, 4);
	well_formed(t, rules);
	assert_int_equal(rule_at(t, rules, 0x2fffd)->cfa, EDDY_CFA_NONE);
	assert_int_equal(rule_at(t, rules, 0x2fffe)->off, 8);
	assert_int_equal(rule_at(t, rules, 0x2ffff)->off, 16);
	assert_int_equal(rule_at(t, rules, 0x30000)->off, 16);
	assert_int_equal(rule_at(t, rules, 0x4ffff)->off, 16);
	assert_int_equal(rule_at(t, rules, 0x5000d)->off, 16);
	assert_int_equal(rule_at(t, rules, 0x5000e)->cfa, EDDY_CFA_NONE);
	assert_int_equal(t->page[1].nr_rows, 1);
}

static void roots_begin_a_byte_early(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *t = NULL;
	struct cfi_bytes c = { .n = 0 };
	size_t cie = put_cie(&c, "zR");

	put_fde(&c, cie, 0x20000, 0x40, NULL, 0);
	put_fde(&c, cie, 0x20048, 0x20, root, sizeof(root)); /* behind padding */
	put_fde(&c, cie, 0x20068, 0x40, NULL, 0);
	put_fde(&c, cie, 0x200a8, 0x20, root, sizeof(root)); /* behind a function's last byte */
	put_fde(&c, cie, 0x30000, 0x20, root, sizeof(root)); /* at the begin of a page */
	t = build(&c, rules, NULL);
	assert_int_equal(rule_at(t, rules, 0x20046)->cfa, EDDY_CFA_SP);
	assert_int_equal(rule_at(t, rules, 0x20047)->cfa, EDDY_CFA_STOP);
	assert_int_equal(rule_at(t, rules, 0x200a7)->cfa, EDDY_CFA_SP);
	assert_int_equal(rule_at(t, rules, 0x200a8)->cfa, EDDY_CFA_STOP);
	assert_int_equal(rule_at(t, rules, 0x2fffe)->cfa, EDDY_CFA_NONE);
	assert_int_equal(rule_at(t, rules, 0x2ffff)->cfa, EDDY_CFA_STOP);
	well_formed(t, rules);
}

static bool is_third(void *ctx, const struct cfi_fde *fde)
{
	return fde->start == *(const uint64_t *)ctx;
}

static void hints_about_roots(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *t = NULL;
	uint64_t third = 0x21000;
	struct unwind_table_hints hints = { .entry = 0x20300, .is_root = is_third, .ctx = &third };
	struct cfi_bytes c = { .n = 0 };
	size_t cie = put_cie(&c, "zR");

	put_fde(&c, cie, 0x20000, 0x40, NULL, 0);
	put_fde(&c, cie, 0x20800, 0x40, NULL, 0);
	put_fde(&c, cie, 0x21000, 0x20, NULL, 0);
	t = build(&c, rules, &hints);
	assert_int_equal(rule_at(t, rules, 0x202ff)->cfa, EDDY_CFA_NONE);
	assert_int_equal(rule_at(t, rules, 0x20300)->cfa, EDDY_CFA_STOP);
	assert_int_equal(rule_at(t, rules, 0x203ff)->cfa, EDDY_CFA_STOP);
	assert_int_equal(rule_at(t, rules, 0x20400)->cfa, EDDY_CFA_NONE);
	assert_int_equal(rule_at(t, rules, 0x20fff)->cfa, EDDY_CFA_STOP);
	assert_int_equal(rule_at(t, rules, 0x2101f)->cfa, EDDY_CFA_STOP);
	assert_int_equal(rule_at(t, rules, 0x21020)->cfa, EDDY_CFA_NONE);
	well_formed(t, rules);
	/* An entry that has an FDE is what the FDE says. */
	unwind_table_free(t);
	hints.entry = 0x20010;
	t = build(&c, rules, &hints);
	assert_int_equal(rule_at(t, rules, 0x20010)->cfa, EDDY_CFA_SP);
}

static void nothing_gives_no_table(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *t = NULL;
	struct cfi_bytes c = { .n = 0 };

	put_cie(&c, "zR");
	t = build(&c, rules, NULL);
	assert_int_equal(t->kind, EDDY_FILE_NOTABLE);
	assert_int_equal(t->nr_pages, 0);
	assert_int_equal(unwind_table_find(t, 0x20000), UNWIND_RULE_NONE);
}

static void flipped_bytes(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	struct cfi_bytes good = { .n = 0 }, bad;
	size_t cie = put_cie(&good, "zR");

	for (uint32_t i = 0; i < 100; i++)
		put_fde(&good, cie, 0x20000 + i * 0x60, 0x58, i % 9 ? frame_16 : root,
			i % 9 ? sizeof(frame_16) : sizeof(root));
	for (int i = 0; i < 3000; i++) {
		struct unwind_table *t;

		bad = good;
		for (uint64_t n = test_random_below(8) + 1; n; n--)
			bad.b[test_random_below(bad.n)] ^= (uint8_t)(1u << test_random_below(8));
		if (i % 3 == 0)
			bad.n = test_random_below(bad.n);
		t = build(&bad, rules, NULL);
		well_formed(t, rules);
		unwind_table_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_are_merged),
		cmocka_unit_test(pages_repeat_what_is_in_force),
		cmocka_unit_test(roots_begin_a_byte_early),
		cmocka_unit_test(hints_about_roots),
		cmocka_unit_test(nothing_gives_no_table),
		cmocka_unit_test(flipped_bytes),
	};

	return cmocka_run_group_tests_name("unwind_table", tests, NULL, NULL);
}
