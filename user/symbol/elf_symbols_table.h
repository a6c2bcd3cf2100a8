/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file's symbols are made of: for those who read them, hand them over, or look them up. */
#ifndef EDDY_SYMBOL_ELF_SYMBOLS_TABLE_H
#define EDDY_SYMBOL_ELF_SYMBOLS_TABLE_H

#include "symbol/elf_debug.h"
#include "symbol/elf_names.h"
#include "symbol/elf_symbols.h"
#include "symbol/function_table.h"
#include "symbol/symbol_index.h"

enum elf_symbol_source {
	SOURCE_SYMTAB,
	SOURCE_DYNSYM,
	SOURCE_DEBUG,
	SOURCE_PLT,
	SOURCE_GO,
	SOURCE_ROOTS,
	NR_ELF_SYMBOL_SOURCES
};

struct elf_symbols {
	unsigned int refs;
	struct elf_image img; /* segments and build id; its source is gone */
	struct symbol_index index;
	struct elf_names names;
	struct function_table functions;
	bool full, damaged, left_out, wants_functions;
	uint64_t unpacked_bytes;
	struct elf_debug_link link; /* of one that is not full */
	uint64_t nr_refused;	    /* debug files, see debug_files.h */
	uint64_t hash;		    /* 0: not asked for yet */
	bool is_mapped;		    /* symbols and names stand in a parser's answer, `mapped` */
	bool functions_are_mapped;  /* they too; there are no more to come */
	void *mapped;
	size_t mapped_len;
};

/* With one reference and nothing in it. */
struct elf_symbols *elf_symbols_new(void);
/*
 * The symbol whose name is to be shown of those that start there; NULL when none has a name.
 * *ret_nr: how many there are.
 */
const struct index_entry *elf_symbols_best_at(const struct elf_symbols *t, uint64_t start,
					      size_t *ret_nr);

#endif
