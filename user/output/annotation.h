/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function's samples by instruction, written for people and for programs.
 *
 * Text: the address, where jumps lead to within the function, the instruction as the GNU assembler
 * has it, where it stands in the source.  TSV: one header for all functions, then their rows:
 *
 *	samples address offset instruction target file line mark module name
 *
 * address and offset (in the function) in hex with 0x; target: where a jump or call leads to, an
 * address or what is known of it; mark: "late" (struct annotation_row).  Samples whose instruction
 * is not known have a row of their own, without an address, so that all add up.
 */
#ifndef EDDY_OUTPUT_ANNOTATION_H
#define EDDY_OUTPUT_ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct annotation_row {
	uint64_t address, samples;
	const char *text;   /* NULL: the code is not known, or no instruction begins there */
	uint64_t jump;	    /* an address in the function that it may go to; 0: none */
	const char *target; /* a name; NULL: none */
	const char *file;   /* of the source; "": not known */
	uint32_t line;
	/* Interrupts are let in right before: a timer takes samples of code without them here. */
	bool is_landing;
};

struct annotation {
	const char *name;   /* as folded text has it */
	const char *module; /* its file, or "[kernel]" */
	const char *why;    /* there is no code; NULL: there is */
	uint64_t start;	    /* 0: not known */
	uint64_t total;	    /* samples of all functions */
	uint64_t samples;   /* of this one: those of rows, and these besides */
	uint64_t placeless;
	struct annotation_row *rows; /* by address */
	size_t nr;
	bool is_timer; /* is_landing of a row with samples is said */
};

struct annotation_opts {
	bool hottest_first; /* and nothing without samples */
	size_t limit;	    /* rows of a function; 0: all */
};

/* One function, and why it has no code where it has none.  Errors of the stream are its owner's. */
void annotation_text_write(FILE *out, const struct annotation *a,
			   const struct annotation_opts *opts);
/* Once, before the first function. */
void annotation_tsv_header(FILE *out);
/* The rows of one function; without its code they have addresses and samples alone. */
void annotation_tsv_write(FILE *out, const struct annotation *a,
			  const struct annotation_opts *opts);

/* Numbers of rows in the order in which they are shown; free() it. */
size_t *annotation_order(const struct annotation *a, const struct annotation_opts *opts,
			 size_t *ret_nr);
/* Samples at landings. */
uint64_t annotation_late(const struct annotation *a);

#endif
