// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The passes in their order: interrupts, recursion, base frames, focus.  Each is a pure function
 * from profile to profile; this file only strings together those that were asked for.
 */
#include "cli/pipeline.h"

#include "analysis/focus.h"
#include "util/cleanup.h"

enum collapse_degree pipeline_collapse(const struct pipeline_request *request)
{
	return request->passes->collapse_given ? request->passes->collapse
					       : request->default_collapse;
}

static struct profile *run_focus(const struct passes *passes, const struct profile *in,
				 uint64_t *ret_dropped)
{
	_cleanup_frame_set_ struct frame_set *focus = NULL, *ignore = NULL;

	if (passes->focus.nr)
		focus = frame_set_new(profile_frames(in));
	for (size_t i = 0; i < passes->focus.nr; i++)
		frame_set_add(focus, passes->focus.globs[i]);
	if (passes->ignore.nr)
		ignore = frame_set_new(profile_frames(in));
	for (size_t i = 0; i < passes->ignore.nr; i++)
		frame_set_add(ignore, passes->ignore.globs[i]);
	return profile_focus(in, focus, ignore, ret_dropped);
}

int pipeline_run(const struct pipeline_request *request, const struct profile *in,
		 struct profile **ret_profile, struct pipeline_stats *ret_stats,
		 struct diag *ret_diag)
{
	struct pipeline_stats stats = {0};

	*ret_profile = run_focus(request->passes, in, &stats.focus_dropped);
	if (ret_stats)
		*ret_stats = stats;
	return 0;
}
