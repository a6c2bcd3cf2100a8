/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a diff goes, and in which format: as view/outputs.h is for stacks. */
#ifndef EDDY_VIEW_DIFF_OUTPUT_H
#define EDDY_VIEW_DIFF_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/passes.h"
#include "load/diff_input.h"
#include "output/diff_view.h"
#include "util/diag.h"

struct diff_output;

struct diff_format {
	const char *name;
	const char *suffixes; /* as format_suits_path() takes them */
	const char *whole;    /* what it is that holds every stack, in words; NULL: rows */
	bool is_folded, is_picture, has_accounts;
	/* 0, or -errno with a diag; errors of `to` itself are the caller's. */
	int (*write)(const struct diff_output *o, const struct diff_loaded *loaded, FILE *to,
		     struct diag *ret_diag);
};

struct diff_output {
	const char *path; /* "-": standard output */
	const struct diff_format *format;
	const struct diff_opts *opts;
	const struct passes *passes;
};

/* The format of that name; name NULL: by the path's suffix.  -EINVAL with a diag: there is none. */
int diff_format_find(const char *name, const char *path, const struct diff_format **ret_format,
		     struct diag *ret_diag);
/* For people rows are as wide as opts->width. */
extern const struct diff_format diff_format_text, diff_format_tsv;

/* Whole or not at all. */
int diff_output_write(const struct diff_output *o, const struct diff_loaded *loaded,
		      struct diag *ret_diag);

#endif
