/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file with DWARF as libdw has it.  Of a large one only what is looked at is in memory, and what
 * was looked at can be given back: libdw keeps the lines of each unit, and pages of the file stay.
 */
#ifndef EDDY_SYMBOL_DWARF_FILE_H
#define EDDY_SYMBOL_DWARF_FILE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf_alt.h"

struct dwarf_file {
	Elf *elf, *alt_elf;
	Dwarf *dw, *alt;
};

/*
 * The descriptor stays the caller's.  0; -ENODATA: it has no DWARF; -ENOEXEC: it is no ELF file, or
 * libdw does not read it.  Good for dwarf_file_close() in any case.
 */
int dwarf_file_open(struct dwarf_file *f, int fd);
void dwarf_file_close(struct dwarf_file *f);
#define _cleanup_dwarf_file_ __attribute__((cleanup(dwarf_file_close)))

/* len 0: any will do. */
bool dwarf_file_has_build_id(const struct dwarf_file *f, const uint8_t *id, size_t len);
/* The value of a symbol of that name in .symtab. */
bool dwarf_file_symbol(const struct dwarf_file *f, const char *name, uint64_t *ret_value);

/* What its .gnu_debugaltlink says; false: it has none, or one that says nothing. */
bool dwarf_file_alt(const struct dwarf_file *f, struct dwarf_alt *ret_alt);
/*
 * Entries and names that stand in another file are read there from now on; the descriptor stays the
 * caller's.  0; -EBADMSG: that is another file, by its build id, or has no DWARF.
 */
int dwarf_file_use_alt(struct dwarf_file *f, const struct dwarf_alt *alt, int alt_fd);

/* Pages of the file that were read are given back; what libdw says stays as it is. */
void dwarf_file_drop_pages(const struct dwarf_file *f);
/* All that libdw has found goes too: nothing that it gave is good any more.  False: it is over. */
bool dwarf_file_forget(struct dwarf_file *f);

#endif
