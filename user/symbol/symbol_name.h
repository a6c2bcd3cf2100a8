/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of several names at one address a person would call it by. */
#ifndef EDDY_SYMBOL_SYMBOL_NAME_H
#define EDDY_SYMBOL_SYMBOL_NAME_H

#include <stddef.h>

/*
 * < 0 when a is the plainer name: fewer leading underscores, then shorter, then bytewise smaller.
 * A total order, so that the choice does not depend on the order in a file.
 */
int symbol_name_compare(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
