/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind rules of code that no CFI tells of, read out of the code itself: assembly, C libraries
 * built without tables, .init, stubs.  Functions begin at symbols, at what is called, and where
 * something else has ended; what is not proved (code_flow.h) gets no row.  x86-64 only.
 */
#ifndef EDDY_UNWIND_CODE_ROWS_H
#define EDDY_UNWIND_CODE_ROWS_H

#include "unwind/code_flow.h"
#include "unwind/unwind_rules.h"

/* Of what is noted for a byte of code. */
#define CODE_ROWS_BEGIN 0x8000 /* a function begins there */
#define CODE_ROWS_TRIED 0x4000 /* it was tried, and refused */
#define CODE_ROWS_NEVER 0x2000 /* whatever more is known, it is refused */
#define CODE_ROWS_RULE	0x1fff /* number + 1 of its rule; 0, 1: none */

struct code_entry {
	uint64_t addr;
	uint64_t end; /* of the function, 0: not known */
};

struct code_rows {
	const struct code_range *ranges;
	size_t nr_ranges;
	uint16_t **rule;	      /* by range, by byte: see CODE_ROWS_RULE */
	uint64_t nr_functions;	      /* proved */
	uint64_t nr_refused;	      /* known to begin somewhere, and not proved */
	uint64_t nr_steps;	      /* of work */
	bool is_cut;		      /* there was more to follow than is followed */
	struct code_entry *functions; /* see code_functions.h; when they are wanted */
	size_t nr_named, cap_functions;
};

/* Where functions are known to begin; where the process does, 0: not here. */
struct code_entries {
	const struct code_entry *items; /* in any order */
	size_t nr;
	uint64_t process;
	bool want_functions; /* code_rows.functions too */
};

/*
 * Of ranges that are rising and apart and must outlive *ret_rows; rules go into the dictionary.
 * Work and memory are linear in the bytes of the ranges.
 */
void code_rows_find(const struct code_range *ranges, size_t nr_ranges,
		    const struct code_entries *entries, struct unwind_rules *rules,
		    struct code_rows *ret_rows);
void code_rows_deinit(struct code_rows *r);
#define _cleanup_code_rows_ _cleanup_(code_rows_deinit)

#endif
