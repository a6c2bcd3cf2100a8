// SPDX-License-Identifier: GPL-2.0-or-later
/* Attributes of an entry, or of what it is a copy of. */
#include "symbol/dwarf_entry.h"

#include <dwarf.h>

#include "util/mem.h"

#define MAX_TYPES 8 /* from an object to its class: a constant pointer to a constant one */

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

/* The entry that an attribute leads to. */
static bool follow(Dwarf_Die *from, unsigned int name, Dwarf_Die *ret_to)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(from, name, &attr) && dwarf_formref_die(&attr, ret_to);
}

bool dwarf_entry_class(Dwarf_Die *method, Dwarf_Die *ret_class)
{
	Dwarf_Die at;

	if (!follow(method, DW_AT_object_pointer, &at))
		return false;
	for (int i = 0; i < MAX_TYPES && follow(&at, DW_AT_type, ret_class); i++) {
		const int tag = dwarf_tag(ret_class);

		if (tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
		    tag == DW_TAG_union_type)
			return true;
		at = *ret_class;
	}
	return false;
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
