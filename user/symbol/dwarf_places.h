/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which unit of a file with DWARF addresses are in. */
#ifndef EDDY_SYMBOL_DWARF_PLACES_H
#define EDDY_SYMBOL_DWARF_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf_file.h"

#define DWARF_NO_UNIT UINT64_MAX

/* An address and the unit it is in. */
struct dwarf_place {
	uint64_t address;
	uint64_t unit; /* where its first entry is; DWARF_NO_UNIT: not known */
	size_t index;  /* of the question */
};

/*
 * Finds the units of addresses that rise and have none.  Then they are in the order of units, those
 * without one last, and in each unit rise.
 */
void dwarf_places_find(const struct dwarf_file *f, struct dwarf_place *places, size_t nr);
/* The first of places that rise whose address is no smaller; nr: there is none. */
size_t dwarf_places_from(const struct dwarf_place *places, size_t nr, uint64_t address);

#endif
