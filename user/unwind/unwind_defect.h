/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong with unwind information, counted by cause.  Files of other people are not errors:
 * what can be used of them is used, the rest is counted.
 */
#ifndef EDDY_UNWIND_UNWIND_DEFECT_H
#define EDDY_UNWIND_UNWIND_DEFECT_H

#include <stdint.h>

enum unwind_defect {
	UNWIND_DEFECT_RECORD,	  /* a record longer than its section, or cut within */
	UNWIND_DEFECT_CIE,	  /* a CIE of unknown form, or an FDE whose CIE is none */
	UNWIND_DEFECT_ENCODING,	  /* an address in an encoding that cannot be resolved here */
	UNWIND_DEFECT_OUTSIDE,	  /* an FDE for addresses outside the executable segments */
	UNWIND_DEFECT_OVERLAP,	  /* an FDE that begins within another: that one is cut */
	UNWIND_DEFECT_PROGRAM,	  /* malformed instructions: unsupported from there on */
	UNWIND_DEFECT_RULE,	  /* rows that a rule cannot express */
	UNWIND_DEFECT_SEGMENT,	  /* executable segments beyond what a table can hold */
	UNWIND_DEFECT_ROWS,	  /* rows beyond the bound of one file */
	UNWIND_DEFECT_COMPRESSED, /* a compressed section, not read */
	UNWIND_DEFECT_TOO_LARGE,  /* a section or table beyond its bound, not or not wholly read */
	UNWIND_DEFECT_READ,	  /* bytes that the file should have could not be read */
	NR_UNWIND_DEFECTS
};

struct unwind_defects {
	uint64_t count[NR_UNWIND_DEFECTS];
};

/* "record", "cie", ...; "invalid" for a number that is none. */
const char *unwind_defect_name(enum unwind_defect defect);

#endif
