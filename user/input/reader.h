/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader of one format is, and what it is given; private to this layer. */
#ifndef EDDY_INPUT_READER_H
#define EDDY_INPUT_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "input/input.h"
#include "input/source.h"

struct reading {
	const char *name;	   /* of the input, for messages */
	struct input_opts opts;	   /* no zeros left: defaults are filled in */
	uint64_t max_memory_bytes; /* of the profile and what is made of it */
	struct source *source;	   /* unpacked bytes */
	struct profile *into;
	struct diag *ret_diag; /* may be NULL */
};

struct reader {
	const char *name;
	/* Does an input that begins like this (up to SOURCE_PEEK_BYTES) have this format? */
	bool (*detect)(const char *bytes, size_t len);
	int (*read)(struct reading *r);
};

extern const struct reader pprof_reader, perf_script_reader, folded_reader;

/*
 * How many lines of folded text there are, where all of them have two counts, as those of a diff of
 * two profiles; else 0.  A few of them could have functions that are called "f 12".
 */
#define FOLDED_DIFF_MIN_LINES 8 /* from here on that cannot be */
size_t folded_nr_diff_lines(const char *bytes, size_t len);

/* -E2BIG with a diag when the profile has grown over its bounds; line is where. */
int reading_check_nodes(const struct reading *r, uint64_t line);
/* The same, for readers that see it coming before so many more nodes are made. */
int reading_check_more_nodes(const struct reading *r, uint64_t line, uint64_t more);

#endif
