/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames that stand over a task's stack, made coarser afterwards: "comm-PID/TID" to "comm-PID",
 * that to "comm", or none at all.  Finer is not possible: the samples are already added up.
 */
#ifndef EDDY_ANALYSIS_REROOT_H
#define EDDY_ANALYSIS_REROOT_H

#include "profile/profile.h"
#include "util/diag.h"

enum reroot {
	REROOT_COMM,
	REROOT_PROCESS,
	REROOT_THREAD,
	REROOT_CPU,
	REROOT_CGROUP,
	REROOT_NONE,
};

/*
 * *ret_profile is a new profile with the base frames asked for, or NULL when the stacks have them
 * already.  Marks ("[hardirq]", "[truncated]", ...) and kernel frames are no base frames and stay.
 * 0, or -ENODATA with a diag when no stack has what was asked for (no PIDs in the file, ...).
 */
int profile_reroot(const struct profile *in, enum reroot to, struct profile **ret_profile,
		   struct diag *ret_diag);

#endif
