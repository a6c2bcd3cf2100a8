// SPDX-License-Identifier: GPL-2.0-or-later
/* Diagnostics are text in the caller's memory: no allocation, so that they work when that fails. */
#include "util/diag.h"

#include <stdio.h>

int diag_vset(struct diag *diag, int err, const char *fmt, va_list ap)
{
	if (!diag)
		return -err;
	vsnprintf(diag->text, sizeof(diag->text), fmt, ap);
	/* File names and symbols are foreign bytes: no escape sequence reaches a terminal. */
	for (unsigned char *p = (unsigned char *)diag->text; *p; p++) {
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f) /* C1 in UTF-8 */
			p[0] = p[1] = '?';
	}
	return -err;
}

int diag_set(struct diag *diag, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_vset(diag, err, fmt, ap);
	va_end(ap);
	return -err;
}
