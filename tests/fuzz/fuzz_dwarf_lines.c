// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as .debug_line, the last of them as its strings too: what is said of an address lies at
 * or before it, and each file that is named has a path, or none.
 */
#include <stdint.h>
#include <stdlib.h>

#include "symbol/dwarf_lines.h"

#define NR	     32
#define STRING_BYTES 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *strings = data + (size > STRING_BYTES ? size - STRING_BYTES : 0);
	const struct byte_reader names = { strings, data + size, false };
	const struct dwarf_line_sections sections = { .lines = { data, data + size, false },
						      .line_strings = names };
	_cleanup_dwarf_lines_ struct dwarf_lines l;
	struct dwarf_line lines[NR] = { 0 };

	if (!dwarf_lines_open(&sections, 0, size & 1 ? "/src" : NULL, &l))
		return 0;
	for (unsigned int i = 0; i < NR; i++)
		lines[i].address = 0xff8 + i * (1 + i / 8);
	dwarf_lines_find(&l, lines, NR);
	for (unsigned int i = 0; i < NR; i++) {
		_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

		if (lines[i].line && lines[i].row > lines[i].address)
			abort();
		dwarf_lines_path(&l, lines[i].file, &path);
	}
	return 0;
}
