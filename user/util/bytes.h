/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a text that stands elsewhere: no NUL ends it, and it lives as long as that text. */
#ifndef EDDY_UTIL_BYTES_H
#define EDDY_UTIL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct bytes {
	const char *at;
	size_t len; /* 0: not there */
};

/* Are they the text, do they begin or end with it? */
static inline bool bytes_are(struct bytes b, const char *text)
{
	return b.len == strlen(text) && !memcmp(b.at, text, b.len);
}

static inline bool bytes_begin(struct bytes b, const char *with)
{
	return b.len >= strlen(with) && !memcmp(b.at, with, strlen(with));
}

static inline bool bytes_end(struct bytes b, const char *with)
{
	return b.len >= strlen(with) && !memcmp(b.at + b.len - strlen(with), with, strlen(with));
}

#endif
