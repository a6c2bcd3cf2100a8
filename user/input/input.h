/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a file to a profile.  The format is recognised by content, never by the name: folded text,
 * `perf script` text, pprof, each of them compressed or not.  A format is one row of the table in
 * input.c and one file of this directory.
 *
 * Input is not trusted: it is read once from front to back, in blocks, with bounds on what it may
 * unpack to and on the tree it may build.  An error names file and line.
 */
#ifndef EDDY_INPUT_INPUT_H
#define EDDY_INPUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/base_frame.h"
#include "profile/profile.h"
#include "util/diag.h"
#include "util/listener.h"

#define INPUT_DEFAULT_MAX_BYTES (UINT64_C(4) << 30)
#define INPUT_DEFAULT_MAX_NODES (UINT64_C(1) << 27)
/*
 * What one distinct call path takes, in the profile and in what a view makes of it: a file of 240
 * MB with 120 million of them took 46 bytes each for a table of functions, 33 to be written again.
 */
#define INPUT_NODE_BYTES 48

/* What a count of an input is, where it is no sample. */
struct input_unit {
	char text[96]; /* "bytes of inuse_space"; "": a sample, or it does not say */
	bool is_count; /* it counts something, as samples do */
};

/* Of folded text: where the stack of each line is in the profile; NODE_DROP: it has none. */
struct input_lines {
	node_id *nodes;
	size_t nr, cap;
};

/* All zero, or no options at all, is the default. */
struct input_opts {
	/*
	 * Of one input, unpacked, and of the memory that the profile takes; 0: at most
	 * INPUT_DEFAULT_MAX_BYTES, and no more memory than half of what there is.
	 */
	uint64_t max_input_bytes;
	uint64_t max_nodes; /* of the profile; 0: INPUT_DEFAULT_MAX_NODES */
	bool only_regular;  /* of a path that others chose: open nothing that is no plain file */
	bool by_period;	    /* perf script: a sample counts its period, not 1 */
	bool with_places;   /* pprof: frames are instructions, where it says which */
	bool with_modules;  /* pprof of eddy's: frames have modules, which folded text has not */
	/*
	 * pprof: the values to read, "cpu" or "cpu/nanoseconds"; NULL: the profile's default, but
	 * of CPU time the samples.
	 * perf script: the event to read, as it is printed, modifiers ("cycles:u") may be left
	 * off; NULL: that of the first sample; "all": samples of all events are added up, which
	 * only the user can know to be right.
	 */
	const char *event;
	const uint32_t *pids, *tids; /* perf script, pprof: of these alone; none given: of all */
	size_t nr_pids, nr_tids;
	/*
	 * perf script, pprof of others: what base frames are made of, but for hosts.  With
	 * BASE_FRAME_NONE they say nothing, and are there for the pass that takes them off
	 * (analysis/reroot.h): else it would take off functions.
	 */
	struct base_frames root;
	const struct listener *listener; /* hears how much was read; NULL: nobody does */
	/* What the user should hear about an input that is fine; "" when nothing.  May be NULL. */
	struct diag *ret_remark;
	struct input_unit *ret_unit;   /* may be NULL */
	struct input_lines *ret_lines; /* of folded text; may be NULL */
	bool *ret_is_clock; /* becomes true: pprof whose samples are CPU time; may be NULL */
};

/*
 * Adds what f holds, from where it stands to its end, to a profile.  name is for messages.
 * 0; -EINVAL malformed, -EOVERFLOW counts add up to more than 2^63-1, -E2BIG over a bound of the
 * options, or another -errno of reading; the diag says what and where.  `into` holds a part of
 * the input after an error: the caller throws it away.  An empty input is no error.
 */
int input_read(FILE *f, const char *name, const struct input_opts *opts, struct profile *into,
	       struct diag *ret_diag);

/* Would so many nodes and the frames of `in` be more than reading with these options allows? */
bool input_is_too_large(const struct input_opts *opts, uint64_t nr_nodes, const struct profile *in);

/* The same for a path, "-" being standard input. */
int input_read_path(const char *path, const struct input_opts *opts, struct profile *into,
		    struct diag *ret_diag);

#endif
