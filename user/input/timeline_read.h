/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what stands beside folded text: output/timeline_text.h says how it is written. */
#ifndef EDDY_INPUT_TIMELINE_READ_H
#define EDDY_INPUT_TIMELINE_READ_H

#include <stdio.h>

#include "input/input.h"
#include "profile/timeline.h"
#include "util/diag.h"

#define TIMELINE_MAX_CELLS ((size_t)1 << 24)

struct timeline_file {
	struct timeline *timeline; /* its nodes are numbers of lines, from 1 */
	uint64_t nr_lines, total;  /* of the folded text */
};

/*
 * 0 with a timeline that is the caller's, its cells by slot and line; -errno with a diag that says
 * where.  Strict: what does not rise, add up or end is refused.
 */
int timeline_read(FILE *f, const char *name, struct timeline_file *ret_file, struct diag *ret_diag);
/*
 * Puts nodes in the place of lines: those that reading the folded text told, its profile having
 * these weights and total.  -EINVAL with a diag: it is not of that text.
 */
int timeline_use_lines(struct timeline_file *file, const struct input_lines *lines,
		       const struct profile *p, const char *name, struct diag *ret_diag);

#endif
