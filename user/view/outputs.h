/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where results go: files by suffix or --format, and standard output.  An output is a format of the
 * view in force, or one of the stack formats of output/writer.h.  `record` and `report` share it,
 * so that the same stacks give the same bytes, live or from a file.
 */
#ifndef EDDY_VIEW_OUTPUTS_H
#define EDDY_VIEW_OUTPUTS_H

#include "analysis/pipeline.h"
#include "view/views.h"
#include "output/writer.h"
#include "util/diag.h"

struct output {
	const char *path;		       /* "-": standard output */
	const struct view_format *view_format; /* else a writer */
	const struct writer *writer;
};

/* What all outputs of a command share. */
struct output_context {
	const struct passes *passes;
	const struct view *view;
	struct view_args args; /* the options of the view; what a terminal wants is added here */
	unsigned int pipeline_flags; /* besides the view's own */
	bool keep_old;		     /* a file that is replaced is kept as .old, but for views */
	struct writer_facts facts;   /* of the capture that the stacks come from */
	const struct html_windows *windows; /* that the stacks come from; NULL */
	/* When they were taken: of nodes followed in what is written (profile_follow()). */
	const struct timeline *timeline; /* NULL: not known */
	struct writer_lines *ret_lines;	 /* of folded text; NULL: nobody asks */
	const char *title;		 /* what the stacks are of; NULL: none */
	struct base_frames had;		 /* of files: what their stacks begin with */
	const char *account;		 /* the `.json` of the capture, as text; NULL: not known */
	const char *unit; /* what a count is, in words (archive/count_unit.h); NULL: a sample */
};

/*
 * The output for a path; format NULL: by suffix, the view's default for "-".  -EINVAL with a diag:
 * there is none of that name, or it would leave out what the view is about.
 */
int output_find(const struct view *view, const char *format, const char *path,
		struct output *ret_output, struct diag *ret_diag);
/* Does it show the account of the capture? */
bool output_is_page(const struct output *o);
/*
 * Can it have frames that are instructions, and would be of use?  Passes over recursion compare
 * functions: then it can not.
 */
bool output_has_places(const struct passes *passes, const struct output *o);
/* Runs the passes over `in` and writes; ret_stats (what the passes left out) may be NULL. */
int output_write(const struct output_context *context, const struct output *o,
		 const struct profile *in, struct pipeline_stats *ret_stats, struct diag *ret_diag);

/*
 * A folded file has come in the place of another and has no `.json` of its own: what stands in
 * FILE.json is not about it, nor what stands in FILE.timeline.  They are removed, if they are of
 * ours, and that is said.
 */
void output_forget_sidecar(const char *path, const struct listener *to);
/* The same of FILE.timeline alone. */
void output_forget_timeline(const char *path, const struct listener *to);

#endif
