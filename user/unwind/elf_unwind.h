/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an ELF file to its unwind table: finds .eh_frame (by section header, or by the program
 * header of .eh_frame_hdr where section headers are gone), adds .debug_frame where .eh_frame says
 * next to nothing, and reads only those parts.
 */
#ifndef EDDY_UNWIND_ELF_UNWIND_H
#define EDDY_UNWIND_ELF_UNWIND_H

#include "elf/elf_source.h"
#include "unwind/unwind_table.h"

/*
 * The table of a file, never NULL; unwind_table_free() it.  A file that is not ELF, of another
 * machine or without CFI gives kind EDDY_FILE_NOTABLE; what went wrong stands in its defects.
 * Segments are those of the code; a file without any gets one from 0 to 2^64 - 1 with delta 0, so
 * that an ELF address is the offset in the file.  Its rules go into a dictionary; NULL: into one of
 * its own.
 */
struct unwind_table *elf_unwind_read(const struct elf_source *source, struct unwind_rules *rules);

/* The same for the kernel's vdso: that of arm64 has no CFI and gets rules from its code. */
struct unwind_table *elf_unwind_read_vdso(const struct elf_source *source,
					  struct unwind_rules *rules);

#endif
