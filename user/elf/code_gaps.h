/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of an ELF file that no unwind entry covers: assembly, files built without any. */
#ifndef EDDY_ELF_CODE_GAPS_H
#define EDDY_ELF_CODE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_image.h"
#include "util/cleanup.h"

#define CODE_GAP_MIN_BYTES	   16	       /* less between two entries is padding */
#define CODE_GAPS_MAX_BYTES	   (16u << 20) /* in all; browsers have more and frame pointers */
#define CODE_GAPS_MAX		   16384
#define CODE_GAPS_MAX_SYMBOL_BYTES (64u << 20) /* of a table whose symbols are looked at */

struct code_span {
	uint64_t start, end; /* ELF addresses, end exclusive */
};

struct code_gaps {
	struct code_span *items; /* rising, apart; each in one section, all bytes in the file */
	size_t nr, cap;
	uint64_t bytes;
	bool is_cut; /* there are more, of which nothing is said */
};

/*
 * What the file's unwind entries, also those that cannot be used, and further spans in any order
 * leave of its code; nothing of a Go program, which has tables of its own.
 */
void code_gaps_find(const struct elf_image *img, const struct code_span *further, size_t nr,
		    struct code_gaps *ret_gaps);
void code_gaps_deinit(struct code_gaps *g);
#define _cleanup_code_gaps_ _cleanup_(code_gaps_deinit)

/* Enough of it to look which functions symbols name there. */
static inline bool code_gaps_want_symbols(const struct code_gaps *g)
{
	return g->bytes >= 1024;
}

/* Has the file's code rows of its own, by the tables of Go's runtime? */
bool code_gaps_is_go(const struct elf_image *img);

#endif
