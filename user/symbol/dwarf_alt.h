/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What .gnu_debugaltlink says (dwz -m): of which file a file with DWARF has the entries and names
 * that several files have in common.
 */
#ifndef EDDY_SYMBOL_DWARF_ALT_H
#define EDDY_SYMBOL_DWARF_ALT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DWARF_ALT_NAME_BYTES   1024
#define DWARF_ALT_MAX_BUILD_ID 64

struct dwarf_alt {
	char name[DWARF_ALT_NAME_BYTES]; /* a path; if it is not absolute, from the file that says
					    it */
	uint8_t build_id[DWARF_ALT_MAX_BUILD_ID];
	uint32_t build_id_len;
};

/* Has it a name that ends, and a build id of a length that there is?  Others say nothing. */
bool dwarf_alt_is_sound(const struct dwarf_alt *alt);

#endif
