/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The account of a window as the `.json` beside its file has it.  This is the one list of its
 * members: merging goes by their names (archive/sidecar_merge.h).
 */
#ifndef EDDY_RUN_ACCOUNT_SIDECAR_H
#define EDDY_RUN_ACCOUNT_SIDECAR_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/irq_pass.h"
#include "archive/sidecar.h"
#include "run/capture_account.h"
#include "unwind_abi.h"

/* What is known only when the stacks are about to be written. */
struct account_extra {
	uint64_t distinct_stacks;
	uint64_t dropped;		 /* samples that --irq drop, --focus or --ignore left out */
	const char *host;		 /* NULL: this machine's name */
	const struct irq_opts *irq;	 /* the pass that the stacks went through; NULL: none */
	const struct profile *functions; /* whose modules are to be told; NULL: none's */
	bool no_annotate;		 /* frames are written without _[k] and the like */
};

struct account_count {
	const char *name;
	uint64_t value;
};

/* Lost samples by reason, NR_SAMPLER_LOSSES; broken user stacks by reason, EDDY_NR_ENDS. */
size_t account_list_losses(const struct capture_account *a, struct account_count *counts);
size_t account_list_broken(const struct capture_account *a, struct account_count *counts);

/*
 * Where the time of waits went, in microseconds, EDDY_NR_WAITS - 1 states and four more: "sleep",
 * ..., "kept" (their sum), "lost", "idle" (of kernel threads), "short" (--min-wait).
 */
#define ACCOUNT_NR_TIMES (EDDY_NR_WAITS - 1 + 4)
size_t account_list_times(const struct capture_account *a, struct account_count *counts);

/* The object; json_free() it.  What has texts of any bytes is written as valid JSON. */
struct json *account_sidecar(const struct capture_account *a, const struct account_extra *extra);

#endif
