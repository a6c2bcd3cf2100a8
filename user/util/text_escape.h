/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Foreign bytes (symbols, comms, file names) made safe for a terminal and for lines of text:
 * control characters (C0, DEL, and C1 whether encoded or bare), NUL and newline among them, what
 * turns the direction of text or separates lines (U+061C, U+200E-200F, U+2028-202E, U+2066-206F),
 * and bytes that are not well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong) become \xNN,
 * one for each byte, in lower-case hex.  Everything else keeps its bytes, a backslash too: the
 * escaped form is for reading, it is not meant to be undone, and escaping it again changes nothing.
 */
#ifndef EDDY_UTIL_TEXT_ESCAPE_H
#define EDDY_UTIL_TEXT_ESCAPE_H

#include <stddef.h>

#include "util/strbuf.h"

/* Adds the escaped form of the bytes to sb; what comes out is UTF-8. */
void text_escape(struct strbuf *sb, const char *bytes, size_t len);

#endif
