/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that programs choose are as long as they like: a stack of them can be a megabyte.  One that
 * is too long keeps its beginning and gets a mark that tells it from others that begin so:
 *
 *	std::map<std::string, ...#1f0b6a90c3d2e478
 */
#ifndef EDDY_UTIL_NAME_CUT_H
#define EDDY_UTIL_NAME_CUT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

#define NAME_MAX_BYTES 1024 /* mangled C++ names of real programs reach it, few are longer */

/*
 * Cuts a name to at most max_bytes, mark included (at least 64), at the border of a UTF-8
 * character; false: it is no longer than that.  The mark is 64 bits of a hash of the whole name and
 * the same in every process: two names that are cut to one differ by chance, but whoever wants can
 * find two of his own that do not.
 */
bool name_cut(struct strbuf *name, size_t max_bytes);

#endif
