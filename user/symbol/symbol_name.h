/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of several names at one address a person would call it by. */
#ifndef EDDY_SYMBOL_SYMBOL_NAME_H
#define EDDY_SYMBOL_SYMBOL_NAME_H

#include <stddef.h>

#include "symbol/symbol_index.h"

struct named_symbol {
	enum symbol_rank rank;
	const char *name;
	size_t len;
};

/*
 * < 0 when a is the name to show: one that programs are linked with (weak or not: glibc's
 * documented names are mostly weak ones), then one of an old version, then a local one.  Among
 * these no alias of glibc's own (__GI_...), fewer leading underscores, global before weak, which
 * tells strchr from index; then shorter, then bytewise smaller.
 * A total order, so that the choice does not depend on the order in a file.
 */
int symbol_name_compare(const struct named_symbol *a, const struct named_symbol *b);

#endif
