/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames that stand over a task's stack, made coarser afterwards: "comm-PID/TID" to "comm-PID",
 * that to "comm", a cgroup's path to its unit or container; fewer of them, or none at all.  Finer
 * is not possible: the samples are already added up.
 */
#ifndef EDDY_ANALYSIS_REROOT_H
#define EDDY_ANALYSIS_REROOT_H

#include "profile/base_frame.h"
#include "profile/profile.h"
#include "util/diag.h"

/*
 * had: what the stacks begin with; its last may be NR_BASE_FRAMES, which is one that nothing is
 * known of.  *ret_profile is a new profile with the base frames asked for, or NULL when the stacks
 * have them already.  Marks ("[hardirq]", "[truncated]", ...) and kernel frames are no base frames
 * and stay.  0, or -ENODATA with a diag when no stack has what was asked for (no PIDs in the file,
 * ...).
 */
int profile_reroot(const struct profile *in, const struct base_frames *had,
		   const struct base_frames *to, struct profile **ret_profile,
		   struct diag *ret_diag);

#endif
