// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as a whole ELF file: headers that lie, sections that are elsewhere, and the arm64 vdso. */
#include "unwind/elf_unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_source source = elf_source_from_bytes(data, size);
	static struct unwind_rules
		*rules; /* lives on: a megabyte to clear for every input is slow */
	struct unwind_table *table;

	if (!rules)
		rules = unwind_rules_new();
	table = elf_unwind_read_vdso(&source, rules);
	for (uint32_t i = 0; i < table->nr_pages; i++)
		unwind_table_find(table, (table->page_base + i) << EDDY_UNWIND_PAGE_SHIFT | 0x123);
	if (table->nr_segments > EDDY_UNWIND_MAX_SEGMENTS)
		__builtin_trap();
	unwind_table_free(table);
	return 0;
}
