/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of .eh_frame and .debug_frame: which code each unwind entry (FDE) is of, and where
 * its rules stand.  The bytes come from other people's files: every length is checked against the
 * bytes that exist, what cannot be used is left out and told, and the work is linear in the bytes.
 *
 * Formats: LSB core 5.0, 10.6 (Exception Frames); DWARF 5, 6.4.
 */
#ifndef EDDY_ELF_CFI_SECTION_H
#define EDDY_ELF_CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_section {
	const uint8_t *bytes; /* must outlive what is made of it */
	size_t len;
	uint64_t addr; /* ELF address of the first byte; encoded addresses are relative to it */
	bool is_debug_frame; /* the DWARF variant */
	bool is_open_ended;  /* the length is a bound only: the first terminator ends it */
};

/* What a CIE says of the FDEs that name it. */
struct cfi_head {
	uint64_t at; /* offset in its section */
	const uint8_t *code;
	size_t code_len;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;	  /* the column of the return address */
	uint8_t encoding; /* DW_EH_PE_* of addresses in its FDEs */
	bool has_data;	  /* FDEs carry augmentation data ('z') */
	bool is_signal;	  /* 'S' */
};

struct cfi_range {
	uint64_t start, bytes; /* ELF addresses; bytes > 0, start + bytes may be beyond 2^64 */
	const uint8_t *code;
	size_t code_len;
	size_t head; /* its CIE: the number of those that the walk told of before */
};

enum cfi_defect {
	CFI_DEFECT_RECORD,   /* longer than the section, or cut within */
	CFI_DEFECT_HEAD,     /* a CIE of unknown form, or an FDE whose CIE is none */
	CFI_DEFECT_ENCODING, /* an address in an encoding that cannot be resolved here */
};

struct cfi_visitor {
	/* A CIE that could be read; false: its FDEs are left out.  NULL: each is good. */
	bool (*head)(void *ctx, const struct cfi_head *head);
	void (*range)(void *ctx, const struct cfi_range *range);
	void (*defect)(void *ctx, enum cfi_defect defect); /* NULL: nobody asks */
	void *ctx;
};

/* Tells of each record in its order; at most 4 GiB of the section and 65 536 CIEs are looked at. */
void cfi_section_walk(const struct cfi_section *section, const struct cfi_visitor *visitor);

#endif
