/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of a capture in words: the summary on standard error, and the `.json` beside files.
 */
#ifndef EDDY_CLI_ACCOUNT_H
#define EDDY_CLI_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "cli/capture_run.h"
#include "output/sidecar.h"
#include "unwind_abi.h"

struct account_extra {
	uint64_t distinct_stacks;
	uint64_t dropped; /* samples that --irq drop, --focus or --ignore left out */
};

/* The three lines, and more when verbose. */
void account_print(FILE *to, const struct capture_account *a, const struct account_extra *extra,
		   bool verbose);
/* The object of output/sidecar.h, and what it points to besides the account. */
struct account_sidecar {
	struct sidecar sidecar;
	struct sidecar_count losses[NR_SAMPLER_LOSSES], broken[EDDY_NR_ENDS];
	struct utsname uts;
};
void account_sidecar(const struct capture_account *a, const struct account_extra *extra,
		     struct account_sidecar *ret_sidecar);
/* Writes it. */
void account_write_json(FILE *to, const struct capture_account *a,
			const struct account_extra *extra);

#endif
