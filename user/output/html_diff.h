/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of two sides: boxes coloured by their change where it is marked, with the tests that the
 * table of `eddy diff` has, and one more for each box.
 */
#ifndef EDDY_OUTPUT_HTML_DIFF_H
#define EDDY_OUTPUT_HTML_DIFF_H

#include "output/diff_view.h"
#include "output/writer.h"

/*
 * `opts` about what both sides have; accounts: text of the `.json` of each, NULL: not known.  The
 * diff has paths.  0 or -errno with a diag.
 */
int html_diff_write(FILE *to, const struct diff *d, const struct diff_opts *diff_opts,
		    const struct writer_opts *opts, const char *const accounts[NR_DIFF_SIDES],
		    struct diag *ret_diag);

#endif
