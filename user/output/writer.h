/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output formats: a table of small structs.  A new format is one file of this folder with one
 * `struct writer`, and one row of the table in writer.c.
 */
#ifndef EDDY_OUTPUT_WRITER_H
#define EDDY_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"
#include "util/diag.h"

/* What a format may want to know besides the stacks; all zero is fine. */
struct writer_opts {
	bool no_annotate;   /* leave _[k], _[j], _[i] off */
	uint64_t period_ns; /* CPU time that one sample stands for; 0: not known */
	const char *title;  /* for pages and pictures; NULL: none */
};

struct writer {
	const char *name;     /* what --format calls it */
	const char *suffixes; /* of file names, separated by spaces: ".folded .txt" */
	/*
	 * Writes all of it.  0 or -errno with a diag.  Errors of the stream are not its business:
	 * whoever opened it asks when it is closed (util/atomic_file.h knows the reason).
	 */
	int (*write)(FILE *to, const struct profile *p, const struct writer_opts *opts,
		     struct diag *ret_diag);
};

/*
 * The writer for a file: the one named format, or, when that is NULL, the one whose suffix the
 * path has ("callgrind.out..." is a name of its own kind); "-" without a format is folded text.
 * NULL with a diag that lists what there is.
 */
const struct writer *writer_find(const char *format, const char *path, struct diag *ret_diag);

/* Folded text, packed or not: what a `.json` stands beside. */
bool writer_is_folded(const struct writer *writer);

/* The table, ended by NULL: for help texts. */
extern const struct writer *const writers[];

#endif
