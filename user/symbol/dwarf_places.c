// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses to units: by .debug_aranges, and what that does not cover (clang writes none) by the
 * ranges of all units.
 */
#include "symbol/dwarf_places.h"

#include <dwarf.h>
#include <stdlib.h>

/* So many units are looked at for what they cover before their memory is given back. */
#define MAX_SEEN_UNITS 256

static void places_by_aranges(const struct dwarf_file *f, struct dwarf_place *places, size_t nr)
{
	Dwarf_Aranges *aranges;
	size_t nr_aranges;

	if (dwarf_getaranges(f->dw, &aranges, &nr_aranges) != 0)
		return;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Arange *a = dwarf_getarange_addr(aranges, places[i].address);
		Dwarf_Off offset;

		if (a && dwarf_getarangeinfo(a, NULL, NULL, &offset) == 0)
			places[i].unit = offset;
	}
}

size_t dwarf_places_from(const struct dwarf_place *places, size_t nr, uint64_t address)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (places[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* How many of the places that have no unit yet are in this one. */
static size_t places_of_unit(Dwarf_Die *unit, struct dwarf_place *places, size_t nr)
{
	const uint64_t at = dwarf_dieoffset(unit);
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	size_t nr_found = 0;

	while ((next = dwarf_ranges(unit, next, &base, &start, &end)) > 0)
		for (size_t i = dwarf_places_from(places, nr, start);
		     i < nr && places[i].address < end; i++)
			if (places[i].unit == DWARF_NO_UNIT) {
				places[i].unit = at;
				nr_found++;
			}
	return nr_found;
}

/* Of one whose entries stand in another file the skeleton has the ranges. */
static bool may_hold_code(Dwarf_Die *unit)
{
	const int tag = dwarf_tag(unit);

	return tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit;
}

static void places_by_units(const struct dwarf_file *f, struct dwarf_place *places, size_t nr)
{
	size_t left = 0, nr_seen = 0;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	for (size_t i = 0; i < nr; i++)
		left += places[i].unit == DWARF_NO_UNIT;
	while (left && dwarf_get_units(f->dw, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
		if (may_hold_code(&unit))
			left -= places_of_unit(&unit, places, nr);
		if (++nr_seen % MAX_SEEN_UNITS == 0)
			dwarf_file_drop_pages(f);
	}
}

static int place_cmp(const void *a, const void *b)
{
	const struct dwarf_place *x = a, *y = b;

	if (x->unit != y->unit)
		return (x->unit > y->unit) - (x->unit < y->unit);
	return (x->address > y->address) - (x->address < y->address);
}

void dwarf_places_find(const struct dwarf_file *f, struct dwarf_place *places, size_t nr)
{
	places_by_aranges(f, places, nr);
	places_by_units(f, places, nr);
	qsort(places, nr, sizeof(*places), place_cmp);
}
