/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks a copied stack with elfutils' libdwfl, which shares no code with the sampler, and tells
 * what it could not know.
 */
#ifndef EDDY_TESTS_DWFL_WALK_H
#define EDDY_TESTS_DWFL_WALK_H

#include <elfutils/libdwfl.h>

#include "dwfl_copies.h"

#define WALK_MAX_FRAMES 1100

/* How libdwfl stopped. */
struct walk_end {
	bool beyond_copy; /* it asked for memory that is not in the copy */
	bool too_deep;	  /* WALK_MAX_FRAMES */
};

struct dwfl_walk {
	Dwfl *dwfl;	  /* NULL: the mappings cannot be reported */
	const char *maps; /* the reading's text */
	const struct copy *copy;
	/* Stepped back into the call: virtual addresses and ELF addresses (equal without a file).
	 */
	uint64_t pcs[WALK_MAX_FRAMES], elf_pcs[WALK_MAX_FRAMES];
	size_t nr_pcs;
	struct walk_end end;
};

/* Takes the mappings of a reading; w must stay where it is.  dwfl_walk_deinit() it. */
void dwfl_walk_init(struct dwfl_walk *w, uint32_t pid, const struct reading *reading);
void dwfl_walk_deinit(struct dwfl_walk *w);
/* Fills pcs and end. */
void dwfl_walk_copy(struct dwfl_walk *w, const struct copy *copy);

/* Is there a file at the address, by the reading? */
bool dwfl_walk_has_file(const struct dwfl_walk *w, uint64_t pc);
/* Does the file at the address have CFI for it? */
bool dwfl_walk_has_cfi(const struct dwfl_walk *w, uint64_t pc);
/* The DWARF number of the register that the CFA of an address is counted from; -1: none. */
int dwfl_walk_cfa_register(const struct dwfl_walk *w, uint64_t pc);
/* Operations of the CFA of an address: 1 is a register and an offset; 0: no CFI. */
size_t dwfl_walk_cfa_operations(const struct dwfl_walk *w, uint64_t pc);
/* The DWARF number of the register that holds the return address at an address; -1: none. */
int dwfl_walk_ra_register(const struct dwfl_walk *w, uint64_t pc);
/* Does libdw say that the CFI of an address leaves the register undefined? */
bool dwfl_walk_loses_register(const struct dwfl_walk *w, uint64_t pc, int reg);
/* The symbol at an address, for people; never NULL. */
const char *dwfl_walk_symbol(const struct dwfl_walk *w, uint64_t pc);

#endif
