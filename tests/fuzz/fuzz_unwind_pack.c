// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as a table that a parser hands over: what is taken can be searched, and packed again. */
#include "unwind/unwind_pack.h"

static void look_up(const struct unwind_table *t, const struct unwind_rules *rules)
{
	for (uint32_t i = 0; i < t->nr_pages; i++)
		for (uint64_t addr = 0; addr < 1 << EDDY_UNWIND_PAGE_SHIFT; addr += 0x1234)
			if (unwind_table_find(t, (t->page_base + i) << EDDY_UNWIND_PAGE_SHIFT |
							 addr) >= unwind_rules_count(rules))
				__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct unwind_rules *rules; /* a megabyte to clear for every input is slow */
	struct strbuf again = STRBUF_INIT;
	struct unwind_table *table, *same;

	if (!rules || unwind_rules_count(rules) > UNWIND_RULES_MAX / 2) {
		unwind_rules_free(rules);
		rules = unwind_rules_new();
	}
	table = unwind_table_unpack((const char *)data, size, rules);
	if (!table)
		return 0;
	look_up(table, rules);
	unwind_table_pack(table, rules, &again);
	same = unwind_table_unpack(again.bytes, again.len, rules);
	if (!same || same->nr_rows != table->nr_rows)
		__builtin_trap();
	unwind_table_free(same);
	unwind_table_free(table);
	strbuf_deinit(&again);
	return 0;
}
