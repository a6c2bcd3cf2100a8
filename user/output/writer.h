/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output formats: a table of small structs.  A new format is one file of this directory with one
 * `struct writer`, and one row of the table in writer.c.
 */
#ifndef EDDY_OUTPUT_WRITER_H
#define EDDY_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/base_frame.h"
#include "profile/profile.h"
#include "util/diag.h"
#include "util/near_name.h"

/* What is known of the capture that stacks come from; 0 or "": not known. */
struct writer_facts {
	char event[64];	    /* its name */
	uint64_t period_ns; /* CPU time that one sample stands for */
	uint64_t period;    /* of an event that is no clock: events that one sample stands for */
	bool is_weighed;    /* counts are events, each sample weighed by its period */
	bool is_time;	    /* counts are microseconds */
	uint64_t start_ns;  /* since 1970 */
	uint64_t duration_ns;
	struct base_frames root; /* what first frames say; NR_BASE_FRAMES: not known */
};

struct html_windows;
struct timeline;

/* On which line of folded text the stacks of nodes stand that are followed (profile_follow()). */
struct writer_lines {
	uint32_t *line;	 /* nr_nodes of them: from 1; 0: nowhere */
	size_t nr_nodes; /* that were followed */
	uint32_t nr_lines;
	uint64_t total; /* of all lines */
};

/* What a format may want to know besides the stacks; all zero is fine. */
struct writer_opts {
	bool no_annotate; /* leave _[k], _[j], _[i] off */
	struct writer_facts facts;
	/*
	 * What base frames (FRAME_BASE, or nr_bases) say of a stack, BASE_FRAME_COMM for instance;
	 * NR_BASE_FRAMES: not known.
	 */
	struct base_frames root;
	uint8_t nr_bases;    /* so many frames of each stack are, also where they are text */
	bool is_split;	     /* interrupts stand under their marks: what does not is a task's */
	const char *title;   /* for pages and pictures; NULL: none */
	const char *unit;    /* what a count is, in words; NULL: a sample */
	const char *account; /* text of the `.json` of the capture; NULL: not known */
	uint64_t dropped;    /* samples that passes left out */
	const struct html_windows *windows; /* for pages: those the stacks come from; NULL */
	const struct timeline *timeline;    /* times, of nodes that are followed; NULL */
	struct writer_lines *ret_lines;	    /* of folded text; NULL: nobody asks */
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

/* Does the path end with one of the suffixes (as in struct writer), and have a name before it? */
bool format_suits_path(const char *suffixes, const char *path);

/*
 * The writer for a file: the one named format, or, when that is NULL, the one whose suffix the
 * path has ("callgrind.out..." is a name of its own kind); "-" without a format is folded text.
 * NULL with a diag that lists what there is.
 */
const struct writer *writer_find(const char *format, const char *path, struct diag *ret_diag);
/* Their names, for one that was mistyped. */
void writer_offer_names(struct near_name *near);

/* Folded text, packed or not: what a `.json` stands beside. */
bool writer_is_folded(const struct writer *writer);

/* A format with addresses: frames may be instructions (profile/frame_place.h). */
bool writer_has_places(const struct writer *writer);

/* A format that holds when samples were taken. */
bool writer_has_times(const struct writer *writer);

/* The table, ended by NULL: for help texts. */
extern const struct writer *const writers[];

#endif
