/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an entry of .debug_info says of itself. */
#ifndef EDDY_SYMBOL_DWARF_ENTRY_H
#define EDDY_SYMBOL_DWARF_ENTRY_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* A function's name, as the linker knows it where that is another one; NULL: it has none. */
const char *dwarf_entry_name(Dwarf_Die *die);
/* A number of its own; 0 where it has none. */
uint64_t dwarf_entry_number(Dwarf_Die *die, unsigned int name);
/* The class of a method: what its object is; false: it says of none. */
bool dwarf_entry_class(Dwarf_Die *method, Dwarf_Die *ret_class);
/* Is it a unit whose entries stand in a .dwo or .dwp file (-gsplit-dwarf)? */
bool dwarf_entry_is_split(Dwarf_Die *unit);

#endif
