/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a text that stands elsewhere: no NUL ends it, and it lives as long as that text. */
#ifndef EDDY_UTIL_BYTES_H
#define EDDY_UTIL_BYTES_H

#include <stddef.h>

struct bytes {
	const char *at;
	size_t len; /* 0: not there */
};

#endif
