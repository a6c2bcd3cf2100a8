/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two analyses centred on one function M (JProfiler's names): cumulated outgoing calls, what
 * M led to wherever it was called, and backtraces, where its samples came from.  Both make a
 * profile, of which analysis/calltree.h then makes a tree in any degree.
 */
#ifndef EDDY_ANALYSIS_METHOD_H
#define EDDY_ANALYSIS_METHOD_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

struct method_stacks {
	struct profile *profile; /* its one root is M; stacks without M are not in it */
	uint64_t samples;	 /* in the tree: of all stacks that count */
	uint64_t call_sites;	 /* distinct prefixes of the input that end at the M that counts */
};

void method_stacks_deinit(struct method_stacks *s); /* zero-filled is fine */
#define _cleanup_method_stacks_ __attribute__((cleanup(method_stacks_deinit)))

/*
 * Outgoing calls: of each stack that holds `of`, what is left from its first (outermost) one on.
 * samples is exactly the inclusive number of `of`.
 */
void method_callees(const struct profile *in, frame_id of, struct method_stacks *ret_stacks);

/*
 * Backtraces: traces from M up to the outermost frame, M first.  A line's numbers are samples of M
 * that came along it, not its own time.
 *   total  (ends_in_it false) each stack that holds `of`, from its first one: inclusive
 *   self   (true) only stacks that end in `of`, from that last one; M may be met again above
 */
void method_callers(const struct profile *in, frame_id of, bool ends_in_it,
		    struct method_stacks *ret_stacks);

#endif
