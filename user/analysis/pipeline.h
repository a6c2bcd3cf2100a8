/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes and their order.  Live data and files both go through here, so that they cannot
 * drift apart.  Besides, two callers apply the pass that they show: view/view_tree.c collapses what
 * is under one function, irq_effect.c compares before and after.
 */
#ifndef EDDY_ANALYSIS_PIPELINE_H
#define EDDY_ANALYSIS_PIPELINE_H

#include <stdint.h>

#include "analysis/passes.h"
#include "profile/profile.h"
#include "util/diag.h"

/* What the one who asks does about a pass. */
enum pipeline_flags {
	/* The source is a file: its base frames are text, and --root can only make them coarser. */
	PIPELINE_FILES = 1 << 0,
	/* Interrupt frames stay where they are, whatever --irq says: the view sorts them itself. */
	PIPELINE_RAW_IRQ = 1 << 1,
	/*
	 * Recursion stays: the view collapses.  --focus and --ignore then look at whole stacks,
	 * which makes a difference in degree `full` only: no other loses a name.
	 */
	PIPELINE_OWN_COLLAPSE = 1 << 2,
	/* Inlined functions are their functions (analysis/functions.h): it is no file of stacks. */
	PIPELINE_JOIN_INLINED = 1 << 3,
	/*
	 * Base frames of files stay text, told by their places: results of several files are added
	 * up, of which some do not say what their stacks begin with.
	 */
	PIPELINE_TEXT_BASES = 1 << 4,
};

/* Samples that a pass left out; the profile shown and these add up to what came in. */
struct pipeline_stats {
	uint64_t irq_dropped;
	uint64_t focus_dropped;
};

/* By all of them. */
static inline uint64_t pipeline_dropped(const struct pipeline_stats *stats)
{
	return stats->irq_dropped + stats->focus_dropped;
}

struct pipeline_request {
	const struct passes *passes;
	unsigned int flags;		       /* enum pipeline_flags */
	enum collapse_degree default_collapse; /* when --collapse was not given */
	struct base_frames had; /* of files: what their stacks begin with (analysis/reroot.h) */
};

struct pipeline_result {
	const struct profile *profile; /* what to show: `in` itself when no pass had a part in it */
	struct profile *made;	       /* NULL, or the same as profile: freed by deinit */
	struct pipeline_stats stats;
};

/*
 * Applies the passes to `in`, which stays as it is and must outlive the result.  All profiles are
 * over the same frame table.  0, or -errno with a diag and *ret_result untouched.
 */
int pipeline_run(const struct pipeline_request *request, const struct profile *in,
		 struct pipeline_result *ret_result, struct diag *ret_diag);
void pipeline_result_deinit(struct pipeline_result *result); /* zero-filled is fine */
#define _cleanup_pipeline_result_ __attribute__((cleanup(pipeline_result_deinit)))

/* The degree in force: --collapse, or the default. */
enum collapse_degree pipeline_collapse(const struct pipeline_request *request);

#endif
