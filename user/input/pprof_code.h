/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a location of pprof's is: in which file, of which build id, and where in it. */
#ifndef EDDY_INPUT_PPROF_CODE_H
#define EDDY_INPUT_PPROF_CODE_H

#include "input/pprof_tables.h"

struct pprof_code {
	struct bytes file, build_id; /* that in hex */
	uint64_t address, offset;
	uint64_t start; /* of the mapping */
	bool has_offset;
};

/* 0, or -EINVAL with a diag that names the sample: its mapping is not there. */
int pprof_code_find(const struct pprof_tables *t, const struct pprof_entry *location,
		    const uint8_t *sample, struct pprof_code *ret);
/* The frame of the instruction that it is, of a function; the function where that is not known. */
frame_id pprof_code_frame(const struct pprof_tables *t, const struct pprof_code *code,
			  frame_id function);

#endif
