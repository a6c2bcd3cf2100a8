/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table of one file, ready to be copied into the maps of the sampler: rows by 64 KiB
 * page, and which parts of the file are code.
 *
 *	page[0]        page[1]   ...          row numbers within `row`
 *	first nr_rows  first nr_rows
 *	  |              |
 *	  v              v
 *	row: [0|a][12|b][90|c] [0|c][7|d] ...  low 16 bits of the address | rule
 */
#ifndef EDDY_UNWIND_UNWIND_TABLE_H
#define EDDY_UNWIND_UNWIND_TABLE_H

#include "unwind/code_rows.h"
#include "unwind/eh_frame.h"
#include "unwind/unwind_rules.h"
#include "unwind_abi.h"
#include "util/cleanup.h"
#include "util/owner.h"

/*
 * What one file may have at most: 4 GiB of code, 16 MiB of rows.  All 3580 ELF files of a server
 * have four times as many together.
 */
#define UNWIND_TABLE_MAX_PAGES 65536
#define UNWIND_TABLE_MAX_ROWS  (1u << 22)

struct unwind_table_page {
	uint32_t first;
	uint32_t nr_rows; /* 1 to 65536 */
};

struct unwind_table {
	enum eddy_file_kind kind; /* EDDY_FILE_TABLE, or EDDY_FILE_NOTABLE: no pages */
	uint16_t elf_machine;	  /* 0: not ELF */
	uint32_t nr_segments;
	struct eddy_unwind_segment segment[EDDY_UNWIND_MAX_SEGMENTS];
	uint64_t page_base; /* ELF address >> EDDY_UNWIND_PAGE_SHIFT of page[0] */
	uint32_t nr_pages;
	uint32_t nr_rows;
	struct unwind_table_page *page;
	uint32_t *row;
	uint64_t nr_fdes;
	uint64_t nr_raw_rows; /* before equal neighbours were merged */
	struct unwind_defects defects;
	/* What rows' numbers are of: somebody's, its own, or (NULL) the maps' it goes into. */
	const struct unwind_rules *rules;
	struct unwind_rules *own_rules;
	owner_id owner; /* of the file */
};

void unwind_table_free(struct unwind_table *table);
DEFINE_FREE(unwind_table, struct unwind_table *, unwind_table_free)

/* What the CFI of a file does not say. */
struct unwind_table_hints {
	uint64_t entry; /* e_entry: a root even without an FDE; 0: none */
	/* Whether a frame is a root although its CFI names a caller; NULL: never.  Asked about
	 * short functions without instructions of their own only. */
	bool (*is_root)(void *ctx, const struct cfi_fde *fde);
	/* Rules of code between FDEs, with numbers of the same dictionary; NULL: none. */
	const struct code_rows *code;
	void *ctx;
};

/*
 * Fills kind, pages, rows and counts of a zeroed `table` from sorted FDEs; rules go into the
 * dictionary.  Without FDEs and rules of code the kind is EDDY_FILE_NOTABLE.
 */
void unwind_table_build(struct unwind_table *table, struct eh_frame *eh, struct unwind_rules *rules,
			const struct unwind_table_hints *hints);

/* The rule number of an ELF address, as BPF finds it; UNWIND_RULE_NONE outside the table. */
uint32_t unwind_table_find(const struct unwind_table *table, uint64_t elf_addr);

#endif
