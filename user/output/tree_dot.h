/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call tree as a graph for graphviz. */
#ifndef EDDY_OUTPUT_TREE_DOT_H
#define EDDY_OUTPUT_TREE_DOT_H

#include <stdio.h>

#include "output/tree_rows.h"

/*
 * One box a node ("name", "1 (2) samples, 3.1 %", "self 1"), an arc to each child; a stub is no box
 * but a dashed arc up to its target, with the samples that took it.
 */
void tree_dot_write(FILE *out, const struct calltree *tree, const struct tree_rows_opts *opts);

#endif
