/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes and their order.  Live data and files both go through here, so that they cannot
 * drift apart; nobody else calls a pass.
 */
#ifndef EDDY_CLI_PIPELINE_H
#define EDDY_CLI_PIPELINE_H

#include <stdint.h>

#include "cli/passes.h"
#include "profile/profile.h"
#include "util/diag.h"

/* What the one who asks does about a pass. */
enum pipeline_flags {
	/* The source is a file: its base frames are text, and --root can only make them coarser. */
	PIPELINE_FILES = 1 << 0,
	/* Interrupt frames stay where they are, whatever --irq says: the view sorts them itself. */
	PIPELINE_RAW_IRQ = 1 << 1,
	/* Recursion stays: the view collapses (--focus still sees what collapsing leaves). */
	PIPELINE_OWN_COLLAPSE = 1 << 2,
};

/* Samples that a pass left out; the profile shown and these add up to what came in. */
struct pipeline_stats {
	uint64_t irq_dropped;
	uint64_t focus_dropped;
};

/*
 * Applies the passes to `in`, which stays as it is, and returns a new profile (profile_free it)
 * over the same frame table.  default_collapse is used when --collapse was not given.
 * 0 or -errno with a diag.  ret_stats may be NULL.
 */
struct pipeline_request {
	const struct passes *passes;
	unsigned int flags; /* enum pipeline_flags */
	enum collapse_degree default_collapse;
};
int pipeline_run(const struct pipeline_request *request, const struct profile *in,
		 struct profile **ret_profile, struct pipeline_stats *ret_stats,
		 struct diag *ret_diag);

/* The degree in force: --collapse, or the default. */
enum collapse_degree pipeline_collapse(const struct pipeline_request *request);

#endif
