/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call tree for programs. */
#ifndef EDDY_OUTPUT_TREE_TSV_H
#define EDDY_OUTPUT_TREE_TSV_H

#include <stdio.h>

#include "output/tree_rows.h"

/*
 * Columns `direct indirect self level kind recursions merged name`, preorder.  kind is node or
 * stub; of a stub, self and recursions are empty and merged is the number of prefixes moved.  Names
 * stand as in folded text.
 */
void tree_tsv_write(FILE *out, const struct calltree *tree, const struct tree_rows_opts *opts);

#endif
