/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of functions by instruction, of a profile whose frames have places (profile/frame.h).  A
 * sample is at an instruction of the function that has the code, also where a function that was
 * inlined there runs; who was only waiting for a call to return is not counted.
 */
#ifndef EDDY_ANALYSIS_HOT_CODE_H
#define EDDY_ANALYSIS_HOT_CODE_H

#include "profile/profile.h"
#include "util/diag.h"

struct hot_place {
	uint64_t offset; /* in the file, the kernel, the module, or the BPF program */
	uint64_t samples;
};

/* Functions of one name in one file; more than one where they are static. */
struct hot_code {
	frame_id function;
	str_id path;		  /* 0: the kernel's memory */
	str_id build_id;	  /* bytes; 0: not known */
	uint64_t base;		  /* offset + base: the address as it was written */
	uint64_t samples;	  /* of all places */
	uint64_t placeless;	  /* besides: it is not known at which instruction */
	struct hot_place *places; /* by offset */
	size_t nr;
};

struct hot_codes {
	struct hot_code *codes; /* by samples falling, then by name */
	size_t nr;
};

/*
 * Of all functions that a pattern names (analysis/frame_set.h) and that samples are in.
 * -ENOENT: there is none, or what there is is inlined wherever it is called; the diag's text
 * stands behind "FUNCTION: ".
 */
int hot_codes_find(const struct profile *p, const char *pattern, struct hot_codes *ret_codes,
		   struct diag *ret_diag);
/* Of one function alone, as frame id of a table that need not be the profile's shows it. */
int hot_codes_of_frame(const struct profile *p, const struct frame_table *frames, frame_id id,
		       struct hot_codes *ret_codes, struct diag *ret_diag);
void hot_codes_deinit(struct hot_codes *codes); /* zero-filled is fine */
#define _cleanup_hot_codes_ __attribute__((cleanup(hot_codes_deinit)))

#endif
