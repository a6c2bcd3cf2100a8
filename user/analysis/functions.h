/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames as functions: a function is one function, whether it was called or inlined, and at
 * whatever line of it.  Without this a function that is inlined into itself, or called from where
 * it was inlined, would be no recursion.
 */
#ifndef EDDY_ANALYSIS_FUNCTIONS_H
#define EDDY_ANALYSIS_FUNCTIONS_H

#include "profile/profile.h"

/*
 * The same stacks, with the function's own frame in place of an inlined one where there is one of
 * that name in that module, at the line of the inlined one; else that stays.  NULL: there is
 * nothing to replace.
 */
struct profile *profile_join_inlined(const struct profile *p);

/* The same stacks without lines: frames are functions.  NULL: there are none. */
struct profile *profile_join_lines(const struct profile *p);

#endif
