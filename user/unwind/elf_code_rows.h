/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an ELF file to the rules of that part of its code which no CFI tells of. */
#ifndef EDDY_UNWIND_ELF_CODE_ROWS_H
#define EDDY_UNWIND_ELF_CODE_ROWS_H

#include "elf/elf_image.h"
#include "unwind/code_rows.h"
#include "unwind/eh_frame.h"

struct elf_code_rows {
	struct code_rows rows;
	struct code_range *ranges;
	uint8_t *bytes;
	bool is_cut; /* code, or symbols, beyond what is looked at */
};

/*
 * FDEs are sorted, their CFI goes before; entry: where the process begins, 0: not here.  Rules go
 * into the dictionary.
 */
void elf_code_rows_find(const struct elf_image *img, const struct eh_frame *eh, uint64_t entry,
			struct unwind_rules *rules, struct elf_code_rows *ret_rows);
void elf_code_rows_deinit(struct elf_code_rows *r);
#define _cleanup_elf_code_rows_ _cleanup_(elf_code_rows_deinit)

#endif
