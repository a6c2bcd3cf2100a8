/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the instructions of CIEs and FDEs (DWARF 5, 6.4.2): addresses and what holds from there. */
#ifndef EDDY_UNWIND_CFI_PROGRAM_H
#define EDDY_UNWIND_CFI_PROGRAM_H

#include "unwind/eh_frame.h"

/* Gets the rows of an FDE in rising order; a row holds up to the next, the last up to fde->end. */
typedef void cfi_row_fn(void *ctx, uint64_t addr, const struct eddy_unwind_rule *rule);

/* Fills cie->initial; false when the instructions are malformed. */
bool cfi_program_run_cie(const struct cfi_machine *m, struct cfi_cie *cie);

/*
 * The rows of one FDE, at least one.  Time is linear in its bytes.  False when the instructions are
 * malformed: the last row given is then EDDY_CFA_UNSUP.
 */
bool cfi_program_run_fde(const struct cfi_machine *m, const struct cfi_cie *cie,
			 const struct cfi_fde *fde, cfi_row_fn *row_fn, void *ctx);

#endif
