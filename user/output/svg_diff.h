/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flame graph of two sides, for documents: a box is as wide as what both sides have of it, each
 * by its own exposure, so that what is new and what is gone can be seen; coloured is what changed
 * by more than chance (analysis/diff.h, for each box), all else is grey.
 */
#ifndef EDDY_OUTPUT_SVG_DIFF_H
#define EDDY_OUTPUT_SVG_DIFF_H

#include "output/diff_view.h"
#include "output/writer.h"

/* The diff has paths.  0 or -errno with a diag. */
int svg_diff_write(FILE *to, const struct diff *d, const struct diff_opts *diff_opts,
		   const struct writer_opts *opts, struct diag *ret_diag);

#endif
