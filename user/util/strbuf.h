/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing byte string.  `bytes` is always NUL-terminated once something was added, and "" (a
 * static empty string) before; it may hold NULs of its own, `len` counts.
 */
#ifndef EDDY_UTIL_STRBUF_H
#define EDDY_UTIL_STRBUF_H

#include <stddef.h>

struct strbuf {
	char *bytes;
	size_t len;
	size_t cap; /* 0: bytes is not ours */
};

extern char strbuf_empty[];
#define STRBUF_INIT                   \
	{                             \
		.bytes = strbuf_empty \
	}

void strbuf_deinit(struct strbuf *sb);
void strbuf_reset(struct strbuf *sb); /* length 0, memory kept */
void strbuf_reserve(struct strbuf *sb, size_t more);
void strbuf_add(struct strbuf *sb, const void *bytes, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *s);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Hands the bytes over (free() them) and leaves sb empty. */
char *strbuf_detach(struct strbuf *sb);

#define _cleanup_strbuf_ __attribute__((cleanup(strbuf_deinit)))

#endif
