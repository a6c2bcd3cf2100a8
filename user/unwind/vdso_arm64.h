/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for the vdso of arm64, whose CFI later kernels discard (6.1 does; 5.10 has it, but for the
 * signal trampoline: cfi_arm64.h).
 */
#ifndef EDDY_UNWIND_VDSO_ARM64_H
#define EDDY_UNWIND_VDSO_ARM64_H

#include "elf/elf_source.h"
#include "unwind/unwind_table.h"

#define VDSO_ARM64_MAX_BYTES 65536

/*
 * Fills pages and rows of a table that has segments but no rows, from the code in its first
 * segment.  Leaves it as it is when that is larger than 64 KiB or cannot be read.
 */
void vdso_arm64_build(struct unwind_table *table, const struct elf_source *source,
		      struct unwind_rules *rules);

#endif
