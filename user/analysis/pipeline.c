// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The passes in their order: lines, interrupts, recursion, base frames, focus.  Each is a pure
 * function from profile to profile; this file only strings together those that were asked for.
 */
#include "analysis/pipeline.h"

#include "analysis/base_marks.h"
#include "analysis/focus.h"
#include "analysis/functions.h"
#include "analysis/irq_pass.h"
#include "analysis/reroot.h"
#include "util/cleanup.h"

enum collapse_degree pipeline_collapse(const struct pipeline_request *request)
{
	return request->passes->collapse_given ? request->passes->collapse
					       : request->default_collapse;
}

static struct frame_set *pattern_set(const struct patterns *patterns,
				     const struct frame_table *frames)
{
	struct frame_set *set = NULL;

	if (patterns->nr)
		set = frame_set_new(frames);
	for (size_t i = 0; i < patterns->nr; i++)
		frame_set_add(set, patterns->globs[i]);
	return set;
}

static struct profile *run_focus(const struct passes *passes, const struct profile *in,
				 uint64_t *ret_dropped)
{
	_cleanup_frame_set_ struct frame_set *focus = NULL, *ignore = NULL;

	focus = pattern_set(&passes->focus, profile_frames(in));
	ignore = pattern_set(&passes->ignore, profile_frames(in));
	return profile_focus(in, focus, ignore, ret_dropped);
}

/* A pass has made a profile from that of the pass before, which is no longer needed. */
static void result_replace(struct pipeline_result *result, struct profile *made)
{
	profile_free(result->made);
	result->made = made;
	result->profile = made;
}

/* As in a capture: a process, and a function that is called like it, are two. */
static void mark_bases(struct pipeline_result *result, const struct pipeline_request *request)
{
	const struct base_frames *had = &request->had;
	size_t nr = 0;

	/* Who asks for base frames of files that do not tell theirs, says what they are. */
	if (base_frames_kind(had, 0) == NR_BASE_FRAMES && request->passes->root_given)
		had = &request->passes->root;
	while (nr < base_frames_nr(had) && base_frames_kind(had, nr) != NR_BASE_FRAMES)
		nr++;
	if (profile_has_unmarked_bases(result->profile, nr))
		result_replace(result, profile_mark_bases(result->profile, nr));
}

int pipeline_run(const struct pipeline_request *request, const struct profile *in,
		 struct pipeline_result *ret_result, struct diag *ret_diag)
{
	const struct passes *passes = request->passes;
	enum collapse_degree degree = pipeline_collapse(request);
	_cleanup_pipeline_result_ struct pipeline_result r = { .profile = in };
	struct profile *rerooted = NULL, *joined = NULL;
	struct irq_opts irq = passes->irq;

	irq.has_host =
		base_frames_kind(request->flags & PIPELINE_FILES ? &request->had : &passes->root,
				 0) == BASE_FRAME_HOST;
	if (request->flags & PIPELINE_FILES && !(request->flags & PIPELINE_TEXT_BASES))
		mark_bases(&r, request);
	else if (request->flags & PIPELINE_FILES && irq.has_host) /* else marks are elsewhere */
		result_replace(&r, profile_mark_bases(r.profile, 1));
	if (!passes->lines)
		joined = profile_join_lines(r.profile);
	if (joined)
		result_replace(&r, joined);
	joined = request->flags & PIPELINE_JOIN_INLINED ? profile_join_inlined(r.profile) : NULL;
	if (joined)
		result_replace(&r, joined);
	if (passes->irq.mode != IRQ_MODE_KEEP && !(request->flags & PIPELINE_RAW_IRQ) &&
	    irq_may_separate(r.profile))
		result_replace(&r, irq_separate(r.profile, &irq, &r.stats.irq_dropped));
	if (degree != COLLAPSE_NONE && !(request->flags & PIPELINE_OWN_COLLAPSE))
		result_replace(&r, calltree_collapse(r.profile, degree));
	if (passes->root_given && request->flags & PIPELINE_FILES) {
		int err = profile_reroot(r.profile, &request->had, &passes->root, &rerooted,
					 ret_diag);

		if (err < 0)
			return err;
	}
	if (rerooted)
		result_replace(&r, rerooted);
	if (passes->focus.nr || passes->ignore.nr)
		result_replace(&r, run_focus(passes, r.profile, &r.stats.focus_dropped));
	*ret_result = r;
	r = (struct pipeline_result){ 0 };
	return 0;
}

void pipeline_result_deinit(struct pipeline_result *result)
{
	profile_free(result->made);
	*result = (struct pipeline_result){ 0 };
}
