/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go programs have no .eh_frame, and distributions strip their .debug_frame; but the runtime needs
 * to walk stacks itself, so every one carries .gopclntab: for each function how far the stack
 * pointer is below the return address, instruction by instruction.  Here that becomes CFI.
 * elf/go_functions.h tells the versions of the format.
 */
#ifndef EDDY_UNWIND_GO_PCLNTAB_H
#define EDDY_UNWIND_GO_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct go_cfi {
	uint8_t *bytes; /* as .eh_frame has them, addresses absolute; free() */
	size_t len, cap;
	uint64_t nr_pairs; /* read, of malformed functions too; not more than the table has bytes */
	bool is_cut; /* that, or 64 MiB of CFI, was not enough: functions behind are not there */
};

/*
 * The CFI of all functions; empty when the bytes are not such a table, and without those functions
 * that are malformed.  text: the ELF address of the program's code where the table does not say it.
 * Work and memory are linear in the bytes of the table, whatever it says of itself, and bounded.
 */
struct go_cfi go_pclntab_read(const uint8_t *bytes, size_t len, uint64_t text);

#endif
