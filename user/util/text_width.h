/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many columns UTF-8 text takes on a terminal, whatever the locale: combining marks none, East
 * Asian wide characters and emoji two, everything else one; a byte that is not UTF-8 takes one.
 * Control characters are the caller's business (util/text_escape.h).
 */
#ifndef EDDY_UTIL_TEXT_WIDTH_H
#define EDDY_UTIL_TEXT_WIDTH_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

size_t text_width(const char *bytes, size_t len);

/*
 * The longest beginning of the text, in bytes, that takes at most `columns`; its width is stored in
 * *ret_width (may be NULL).
 */
size_t text_fit(const char *bytes, size_t len, size_t columns, size_t *ret_width);

/*
 * Adds the text, cut to so many columns; what is cut ends in an ellipsis, of two dots where the
 * terminal knows no UTF-8 (is_ascii).
 */
void text_fit_add(struct strbuf *sb, const char *bytes, size_t len, size_t columns, bool is_ascii);

#endif
