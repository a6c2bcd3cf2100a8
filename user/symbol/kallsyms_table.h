/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/kallsyms as one sorted array over one pool of names; symbol/kallsyms_read.c makes it,
 * symbol/kallsyms.c looks things up, nobody else includes this.
 *
 *   symbols[i]  { u64 address, u32 name (offset in the pool), u16 module, type, - }   16 bytes
 *   names       "name\0name\0..."                                        about 22 bytes a symbol
 *
 * Aliases are neighbours in the array.
 */
#ifndef EDDY_SYMBOL_KALLSYMS_TABLE_H
#define EDDY_SYMBOL_KALLSYMS_TABLE_H

#include "symbol/kallsyms.h"

#define KALLSYMS_PREFIX_BYTES 8 /* any name of the pool can be read that far */

/* The data that is asked for by name: not in the array, where they would seem to be functions. */
#define NR_KALLSYMS_PLACES 6
extern const char *const kallsyms_place_names[NR_KALLSYMS_PLACES];

struct ksym {
	uint64_t addr;
	uint32_t name;
	uint16_t module;
	char type;
};

struct kallsyms {
	struct ksym *symbols;
	size_t nr, cap;
	char *names;
	size_t names_len, names_cap;
	char **modules;	      /* [0] is "" */
	struct module_range { /* of each; NULL: not known of any */
		uint64_t begin, end;
	} * ranges;
	size_t nr_modules, cap_modules;
	bool sorted;
	uint64_t text; /* where the kernel begins; 0: not known */
	uint64_t places[NR_KALLSYMS_PLACES];
};

#endif
