// SPDX-License-Identifier: GPL-2.0-or-later
/* A growing byte string; the empty one needs no memory. */
#include "util/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

char strbuf_empty[1];

void strbuf_deinit(struct strbuf *sb)
{
	if (sb->cap)
		free(sb->bytes);
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->cap)
		sb->bytes[0] = '\0';
}

void strbuf_reserve(struct strbuf *sb, size_t more)
{
	size_t need = sb->len + more + 1;

	if (need <= sb->cap)
		return;
	if (!sb->cap)
		sb->bytes = NULL;
	array_reserve(sb->bytes, sb->cap, need);
	sb->bytes[sb->len] = '\0';
}

void strbuf_add(struct strbuf *sb, const void *bytes, size_t len)
{
	strbuf_reserve(sb, len);
	if (len)
		memcpy(sb->bytes + sb->len, bytes, len);
	sb->len += len;
	sb->bytes[sb->len] = '\0';
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int n;

	strbuf_reserve(sb, 64);
	va_start(ap, fmt);
	n = vsnprintf(sb->bytes + sb->len, sb->cap - sb->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= sb->cap - sb->len) {
		strbuf_reserve(sb, n);
		va_start(ap, fmt);
		vsnprintf(sb->bytes + sb->len, sb->cap - sb->len, fmt, ap);
		va_end(ap);
	}
	sb->len += n;
}

char *strbuf_detach(struct strbuf *sb)
{
	char *bytes;

	strbuf_reserve(sb, 0);
	bytes = sb->bytes;
	*sb = (struct strbuf)STRBUF_INIT;
	return bytes;
}
