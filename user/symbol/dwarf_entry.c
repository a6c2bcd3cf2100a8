// SPDX-License-Identifier: GPL-2.0-or-later
/* Attributes of an entry, or of what it is a copy of. */
#include "symbol/dwarf_entry.h"

#include <dwarf.h>

#include "util/mem.h"

const char *dwarf_entry_name(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					      DW_AT_name };
	Dwarf_Attribute attr;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *name =
			dwarf_attr_integrate(die, names[i], &attr) ? dwarf_formstring(&attr) : NULL;

		if (name && *name)
			return name;
	}
	return NULL;
}

bool dwarf_entry_is_split(Dwarf_Die *unit)
{
	return dwarf_hasattr(unit, DW_AT_dwo_name) || dwarf_hasattr(unit, DW_AT_GNU_dwo_name);
}

uint64_t dwarf_entry_number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attr) && dwarf_formudata(&attr, &value) == 0 ? value : 0;
}
