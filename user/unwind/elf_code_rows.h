/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an ELF file to the rules, and functions, of that code of it which no CFI tells of. */
#ifndef EDDY_UNWIND_ELF_CODE_ROWS_H
#define EDDY_UNWIND_ELF_CODE_ROWS_H

#include "elf/code_gaps.h"
#include "elf/elf_image.h"
#include "unwind/code_rows.h"

struct elf_code_rows {
	struct code_rows rows;
	struct code_range *ranges;
	uint8_t *bytes;
	bool is_cut; /* code, or symbols, beyond what is looked at */
};

struct elf_code_question {
	const struct elf_image *img;
	const struct code_span *covered; /* code that something else tells of, in any order */
	size_t nr_covered;
	uint64_t entry;	     /* where the process begins, 0: not here */
	bool want_functions; /* see code_functions.h */
};

/* Rules go into the dictionary. */
void elf_code_rows_find(const struct elf_code_question *q, struct unwind_rules *rules,
			struct elf_code_rows *ret_rows);
void elf_code_rows_deinit(struct elf_code_rows *r);
#define _cleanup_elf_code_rows_ _cleanup_(elf_code_rows_deinit)

#endif
