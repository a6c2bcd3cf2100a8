/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is hot, for people: functions, and whose samples they are.
 *
 *	self %  incl %    self  module     function
 *	 24.31   24.31      67  libc.so.6  memset
 *
 *	     %  samples  process  hottest path
 *	 62.10      171  cc1      … > execute_one_pass > df_analyze
 *
 * Both are lines of a table that fits the width of opts: counts and modules make way for names.
 */
#ifndef EDDY_OUTPUT_FLAT_TEXT_H
#define EDDY_OUTPUT_FLAT_TEXT_H

#include "analysis/function_rows.h"
#include "analysis/process_rows.h"
#include "output/graph_view.h"

/*
 * The functions of rows, none that are below opts->min_percent in both numbers and opts->limit at
 * most, and a line for the others.  The view is of a profile whose base frames are marked.  The
 * columns est, err and cycle stand there where a function that is shown is in a cycle, those and
 * frames and depth with opts->verbose.
 */
void flat_text_write(FILE *out, const struct graph_view *v, const struct function_rows *rows,
		     const struct graph_opts *opts);
/* What the table says besides: totals, samples of no function, how est is meant. */
void flat_text_foot(FILE *out, const struct graph_view *v, const struct function_rows *rows,
		    const struct graph_opts *opts);

/* The processes of rows (of the profile p), chosen in the same way. */
void process_text_write(FILE *out, const struct profile *p, const struct process_rows *rows,
			const struct graph_opts *opts);

#endif
