/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two sides of `eddy diff`: from a FILE of the command line to batches of samples after the
 * passes, each with its exposure.
 */
#ifndef EDDY_CLI_DIFF_INPUT_H
#define EDDY_CLI_DIFF_INPUT_H

#include "analysis/diff.h"
#include "cli/passes.h"
#include "cli/stack_files.h"

struct diff_input {
	const char *paths[NR_DIFF_SIDES];
	struct stack_files_opts opts[NR_DIFF_SIDES];
	const struct passes *passes;
	bool is_parted; /* the sides are ranges: a snapshot with a part in both is on one */
};

struct diff_loaded {
	struct diff *diff;
	bool is_due_known; /* exposures are samples due; else all samples of each side */
};

/*
 * Reads both sides; says on standard error what of folders was read and what may keep the sides
 * from being compared.  0, or -errno with a diag (-EINVAL: wrong usage).
 */
int diff_input_load(const struct diff_input *input, struct diff_loaded *ret_loaded,
		    struct diag *ret_diag);

#endif
