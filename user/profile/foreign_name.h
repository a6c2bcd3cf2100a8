/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that others chose (symbols, threads, cgroups, what JITs write), made so that none of them
 * is read as a form of eddy's own.  In such a name
 *
 *	[hardirq]	in brackets from end to end: a mark	becomes	\x5bhardirq]
 *	read_[k]	ends like the suffix of an origin	becomes	read_\x5bk]
 *
 * and all others keep their bytes.  It is done where such a name comes in, so that every view and
 * every output has the same text, and a file that is read keeps the text that it has: what stands
 * in folded text is what was written there, by eddy or by whoever made it.
 */
#ifndef EDDY_PROFILE_FOREIGN_NAME_H
#define EDDY_PROFILE_FOREIGN_NAME_H

#include <stdbool.h>

#include "profile/frame.h"
#include "util/strbuf.h"

/* Adds the name. */
void foreign_name_add(struct strbuf *sb, const char *name, size_t len);

/* Interns it. */
str_id foreign_name_intern(struct frame_table *t, const char *name, size_t len);

/*
 * The same for text that eddy put together, from `from` to the end of sb: it may be a mark, but its
 * end, which is somebody else's, is no suffix.
 */
void foreign_name_guard_end(struct strbuf *sb, size_t from);

#endif
