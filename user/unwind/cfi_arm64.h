/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CFI for code of arm64 that has none of its own: what the linker makes, and the vdso's signal
 * trampoline.  Without it such frames would be stepped over by frame pointer, and that of a leaf is
 * its caller's: the caller itself would be missing.
 */
#ifndef EDDY_UNWIND_CFI_ARM64_H
#define EDDY_UNWIND_CFI_ARM64_H

#include "unwind/eh_frame.h"

/*
 * Adds FDEs for a section .plt of `len` bytes; `head` are its first two instructions, which tell
 * how the entry for lazy binding begins.
 */
void cfi_arm64_add_plt(struct eh_frame *eh, uint64_t addr, uint64_t len, const uint32_t head[2]);

/* Adds one for the trampoline (mov x8, #139; svc #0) in the `len` bytes of code, if it is there. */
void cfi_arm64_add_trampoline(struct eh_frame *eh, uint64_t addr, const uint8_t *code, size_t len);

#endif
