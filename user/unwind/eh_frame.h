/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the sections of CFI of a file to a sorted list of FDEs, each with its CIE.  What cannot be
 * used is left out and counted.
 */
#ifndef EDDY_UNWIND_EH_FRAME_H
#define EDDY_UNWIND_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/cfi_section.h"
#include "unwind/cfi_rule.h"
#include "unwind/unwind_defect.h"

struct cfi_cie {
	const uint8_t *code;
	size_t code_len;
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding;   /* DW_EH_PE_* of addresses in its FDEs */
	bool is_signal;	    /* 'S' */
	bool is_foreign_ra; /* returns through another column than the ABI's: no rule for that */
	struct cfi_row initial; /* after `code` */
};

struct cfi_fde {
	uint64_t start;
	uint64_t end; /* exclusive, > start */
	const uint8_t *code;
	uint32_t code_len;
	uint32_t cie;
};

struct address_range {
	uint64_t begin;
	uint64_t end; /* exclusive */
};

struct eh_frame {
	const struct cfi_machine *machine;
	const struct address_range *ranges; /* executable ELF addresses; FDEs are cut to them */
	size_t nr_ranges;
	struct cfi_cie *cies;
	size_t nr_cies, cap_cies;
	struct cfi_fde *fdes;
	size_t nr_fdes, cap_fdes;
	struct unwind_defects defects;
};

/* `machine` and `ranges` must outlive it. */
void eh_frame_init(struct eh_frame *eh, const struct cfi_machine *machine,
		   const struct address_range *ranges, size_t nr_ranges);
void eh_frame_deinit(struct eh_frame *eh);

/* Adds the FDEs of a section (at most 4 GiB of it). */
void eh_frame_add(struct eh_frame *eh, const struct cfi_section *section);
/* Adds an FDE and its CIE that stand in no section: their `code` must outlive it, `fde->cie` is
 * set. */
void eh_frame_add_made(struct eh_frame *eh, const struct cfi_cie *cie, const struct cfi_fde *fde);
/*
 * Sorts FDEs by address and cuts overlapping ones: of two that begin at the same address the first
 * added stays, otherwise the earlier one ends where the later begins.
 */
void eh_frame_sort(struct eh_frame *eh);

#endif
