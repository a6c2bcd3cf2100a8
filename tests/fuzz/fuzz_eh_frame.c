// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as .eh_frame or .debug_frame of either machine.  The first byte chooses (1: arm64,
 * 2: .debug_frame, 4: open-ended, 8: twice).  Whatever comes, the table must be well-formed: pages
 * that begin at 0, rows that rise, rules that exist.
 */
#include <elf.h>
#include <stdlib.h>

#include "unwind/unwind_table.h"

#define CODE_BEGIN 0x1000
#define CODE_END   0x90000

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check(const struct unwind_table *t, const struct unwind_rules *rules)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < t->nr_pages; i++) {
		const uint32_t *row = t->row + t->page[i].first;

		require(t->page[i].first == next && t->page[i].nr_rows >= 1);
		next += t->page[i].nr_rows;
		require(next <= t->nr_rows && row[0] >> 16 == 0);
		for (uint32_t k = 1; k < t->page[i].nr_rows; k++) {
			require(row[k] >> 16 > row[k - 1] >> 16);
			require((row[k] & 0xffff) != (row[k - 1] & 0xffff));
		}
		for (uint32_t k = 0; k < t->page[i].nr_rows; k++)
			require((row[k] & 0xffff) < unwind_rules_count(rules));
	}
	require(next == t->nr_rows);
	require(t->kind == (t->nr_pages ? EDDY_FILE_TABLE : EDDY_FILE_NOTABLE));
	require(unwind_table_find(t, CODE_END + 0x10000) == UNWIND_RULE_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct address_range range = { CODE_BEGIN, CODE_END };
	const struct unwind_table_hints hints = { .entry = 0x2000 };
	static struct unwind_rules
		*rules; /* lives on: a megabyte to clear for every input is slow */
	struct unwind_table *table;
	struct cfi_section section;
	struct eh_frame eh;

	if (!size)
		return 0;
	section = (struct cfi_section){ .bytes = data + 1,
					.len = size - 1,
					.addr = 0x80000,
					.is_debug_frame = data[0] & 2,
					.is_open_ended = data[0] & 4 };
	eh_frame_init(&eh, cfi_machine_find(data[0] & 1 ? EM_AARCH64 : EM_X86_64), &range, 1);
	eh_frame_add(&eh, &section);
	if (data[0] & 8)
		eh_frame_add(&eh, &section);
	eh_frame_sort(&eh);
	if (!rules)
		rules = unwind_rules_new();
	table = calloc(1, sizeof(*table));
	unwind_table_build(table, &eh, rules, &hints);
	check(table, rules);
	unwind_table_free(table);
	if (unwind_rules_refused(rules)) {
		unwind_rules_free(rules);
		rules = NULL;
	}
	eh_frame_deinit(&eh);
	return 0;
}
