/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call tree for people, in Puma's columns and notation, with JProfiler's labels. */
#ifndef EDDY_OUTPUT_TREE_TEXT_H
#define EDDY_OUTPUT_TREE_TEXT_H

#include <stdio.h>

#include "output/tree_rows.h"

struct tree_text_opts {
	struct tree_rows_opts rows;
	const char *title;   /* a line of its own on top; NULL: none */
	bool percent;	     /* percents in place of samples, one decimal */
	bool percent_parent; /* of the parent's samples; a root's of the whole */
	size_t width;	     /* columns that a line may take; 0: any number */
	bool colour;	     /* escape sequences are welcome */
	bool ascii;	     /* the terminal knows no UTF-8 */
};

/*
 *	total  self  level  name
 *	6         0      1  main
 *	6         3      2   r  (2 recursions)
 *	1 (2)     3      3    s  (merged from 3 call paths)
 *	                 3    r...  (4 samples moved)
 *	                 3    + 2 more (0.3 %)
 *
 * Names are indented by a blank for each line that leads to them, up to what leaves them room (the
 * level says the rest), and cut where they do not fit.  Lines at the foot explain `1 (2)` and `...`
 * if they occur.
 */
void tree_text_write(FILE *out, const struct calltree *tree, const struct tree_text_opts *opts);

#endif
