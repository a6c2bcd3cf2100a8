/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one function that a user means by what was typed. */
#ifndef EDDY_ANALYSIS_FUNCTION_FIND_H
#define EDDY_ANALYSIS_FUNCTION_FIND_H

#include "profile/profile.h"
#include "util/diag.h"
#include "util/strbuf.h"

/*
 * Among the functions of a profile's stacks: the one with exactly this text ("vfs_read_[k]"), else
 * with this name ("vfs_read"), else the one that the glob matches.  A process counts when there is
 * no such function.  Two functions of one text are told apart by what the message prints:
 * "init (libc.so.6+0x2a10)".
 *
 * 0; -ENOENT: none, the diag offers names that are near; -ENOTUNIQ: several, the diag says which.
 * The diag's text stands behind "FUNCTION: ".
 */
int function_find(const struct profile *profile, const char *pattern, frame_id *ret_frame,
		  struct diag *ret_diag);

/*
 * The same stacks with all functions that a glob matches as one, whose name is the glob: a new
 * profile, *ret_sum is that function and *ret_list gets a sentence that names them.  NULL and
 * nothing changed when the pattern is no glob or matches fewer than two; base frames are none.
 */
struct profile *functions_sum(const struct profile *in, const char *pattern, frame_id *ret_sum,
			      struct strbuf *ret_list);

#endif
