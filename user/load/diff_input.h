/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two sides of `eddy diff`: from a FILE of the command line to batches of samples after the
 * passes, each with its exposure.
 */
#ifndef EDDY_LOAD_DIFF_INPUT_H
#define EDDY_LOAD_DIFF_INPUT_H

#include "analysis/diff.h"
#include "analysis/passes.h"
#include "load/diff_base.h"
#include "output/writer.h"
#include "load/stack_files.h"

struct diff_input {
	const char *paths[NR_DIFF_SIDES];
	struct stack_files_opts opts[NR_DIFF_SIDES];
	const struct passes *passes;
	const struct diff_base *base; /* as it was asked for */
	bool is_parted;	   /* the sides are ranges: a snapshot with a part in both is on one */
	bool has_paths;	   /* the diff is to have paths, */
	bool has_accounts; /* and the accounts of both sides are wanted */
};

struct diff_loaded {
	struct diff *diff;
	struct diff_base base; /* of the exposures */
	uint8_t nr_bases;    /* so many frames of each stack are base frames; 0: it is not known */
	uint64_t nr_dropped; /* samples that passes left out */
	char *accounts[NR_DIFF_SIDES]; /* the `.json` of each side; NULL: not known */
	struct writer_facts
		facts; /* of the side after, and its periods where before has them too */
};

void diff_loaded_deinit(struct diff_loaded *loaded); /* zero-filled is fine */
#define _cleanup_diff_loaded_ __attribute__((cleanup(diff_loaded_deinit)))

/*
 * Reads both sides; says on standard error what of directories was read and what may keep the sides
 * from being compared.  0, or -errno with a diag (-EINVAL: wrong usage).
 */
int diff_input_load(const struct diff_input *input, struct diff_loaded *ret_loaded,
		    struct diag *ret_diag);

#endif
