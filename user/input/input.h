/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a file to a profile.  The format is recognised by content, never by the name: folded text,
 * `perf script` text, either of them compressed with gzip.  A format is one row of the table in
 * input.c and one file of this folder.
 *
 * Input is not trusted: it is read once from front to back, in blocks, with bounds on what it may
 * unpack to and on the tree it may build.  An error names file and line.
 */
#ifndef EDDY_INPUT_INPUT_H
#define EDDY_INPUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"
#include "util/diag.h"

#define INPUT_DEFAULT_MAX_BYTES (UINT64_C(4) << 30)
#define INPUT_DEFAULT_MAX_NODES (UINT64_C(1) << 27) /* about 4 GiB of memory */

/* All zero, or no options at all, is the default. */
struct input_opts {
	uint64_t max_input_bytes; /* of one input, unpacked; 0: INPUT_DEFAULT_MAX_BYTES */
	uint64_t max_nodes;	  /* of the profile; 0: INPUT_DEFAULT_MAX_NODES */
	bool by_period;		  /* perf script: a sample counts its period, not 1 */
	/*
	 * perf script: the event to read, as it is printed, modifiers ("cycles:u") may be left
	 * off; NULL: that of the first sample.  Samples of different events do not add up.
	 */
	const char *event;
	/* What the user should hear about an input that is fine; "" when nothing.  May be NULL. */
	struct diag *ret_remark;
};

/*
 * Adds what f holds, from where it stands to its end, to a profile.  name is for messages.
 * 0; -EINVAL malformed, -EOVERFLOW counts add up to more than 2^63-1, -E2BIG over a bound of the
 * options, or another -errno of reading; the diag says what and where.  `into` holds a part of
 * the input after an error: the caller throws it away.  An empty input is no error.
 */
int input_read(FILE *f, const char *name, const struct input_opts *opts, struct profile *into,
	       struct diag *ret_diag);

/* The same for a path, "-" being standard input. */
int input_read_path(const char *path, const struct input_opts *opts, struct profile *into,
		    struct diag *ret_diag);

#endif
