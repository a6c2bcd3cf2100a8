/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an ELF file has code, and which functions its unwind entries make of it. */
#ifndef EDDY_SYMBOL_ELF_CODE_H
#define EDDY_SYMBOL_ELF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_image.h"
#include "symbol/function_table.h"

#define ELF_CODE_MAX_RANGES 64 /* sections, and segments; looked through for each symbol */

struct elf_code_range {
	uint64_t start, end;
};

struct elf_code {
	struct elf_code_range sections[ELF_CODE_MAX_RANGES], segments[ELF_CODE_MAX_RANGES];
	size_t nr_sections, nr_segments;
};

/* False when there are more segments than can be held: code in those is left out. */
bool elf_code_read(const struct elf_image *img, struct elf_code *ret_code);
bool elf_code_holds(const struct elf_code *c, uint64_t vaddr);
/* Where the code at an address stops at the latest: its section's end, else its segment's. */
uint64_t elf_code_end(const struct elf_code *c, uint64_t vaddr);
uint64_t elf_code_lowest(const struct elf_code *c); /* address of code; UINT64_MAX: none */

/*
 * Adds what .eh_frame has and, where that is next to nothing, .debug_frame; finishes nothing.
 * False when there was more than could be read or held.
 */
bool elf_code_functions(const struct elf_image *img, const struct elf_code *c,
			struct function_table *to);

/*
 * Is there code that none of those, which are finished, covers, so much that it is worth looking
 * through, and not too much?
 */
bool elf_code_is_uncovered(const struct elf_code *c, const struct function_table *functions,
			   uint64_t *ret_bytes);
/* Adds what the rest proves of itself to be functions (unwind/code_functions.h). */
void elf_code_proved_functions(const struct elf_image *img, const struct elf_code *c,
			       struct function_table *to);

#endif
