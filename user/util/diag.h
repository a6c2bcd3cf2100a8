/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why something failed, in words for the user: "what: why (and what to do)".  Below cli/ nobody
 * prints messages or ends the program; a function that can fail for reasons errno cannot tell takes
 * a struct diag * as its last parameter.  NULL is allowed everywhere and means "not interested".
 */
#ifndef EDDY_UTIL_DIAG_H
#define EDDY_UTIL_DIAG_H

#include <stdarg.h>

struct diag {
	char text[512]; /* one line, no newline, no "eddy: " in front; "" when nothing was set */
};

/* Sets the text (cut to fit, control characters replaced by '?') and returns -err; err > 0. */
int diag_set(struct diag *diag, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int diag_vset(struct diag *diag, int err, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

#endif
