/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of addresses of functions, with their ends where those are known. */
#ifndef EDDY_UNWIND_CODE_ADDRESSES_H
#define EDDY_UNWIND_CODE_ADDRESSES_H

#include "unwind/code_rows.h"

struct code_addresses {
	struct code_entry *items; /* sorted up to `nr_sorted` */
	size_t nr, cap, nr_sorted;
};

/* Of what was there when it was sorted last; NULL: it is not. */
const struct code_entry *code_addresses_find(const struct code_addresses *a, uint64_t addr);
void code_addresses_add(struct code_addresses *a, uint64_t addr, uint64_t end);
/* Sorts what was added; true: something of it is new. */
bool code_addresses_finish(struct code_addresses *a);

#endif
