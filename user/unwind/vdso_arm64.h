/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules for the vdso of arm64, whose CFI the kernel discards (since 5.8). */
#ifndef EDDY_UNWIND_VDSO_ARM64_H
#define EDDY_UNWIND_VDSO_ARM64_H

#include "unwind/elf_source.h"
#include "unwind/unwind_table.h"

/*
 * Fills pages and rows of a table that has segments but no rows, from the code in its first
 * segment.  Leaves it as it is when that is larger than 64 KiB or cannot be read.
 */
void vdso_arm64_build(struct unwind_table *table, const struct elf_source *source,
		      struct unwind_rules *rules);

#endif
