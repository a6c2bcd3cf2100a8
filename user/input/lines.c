// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines in one sliding buffer:
 *
 *	buf  | before \n line \n | at ... unread ... | len     cap
 *
 * When no newline is left, what has to stay (from `before` on) moves to the front and the rest is
 * filled; the buffer doubles when less than half of it would be free.  So each byte is moved a
 * bounded number of times whatever the length of lines.
 */
#include "input/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define BLOCK_BYTES (256 * 1024)

void lines_init(struct lines *l, const struct reading *r)
{
	*l = (struct lines){ .r = r, .nul = SIZE_MAX, .cap = BLOCK_BYTES };
	l->buf = xmalloc(l->cap);
	l->before = l->line = l->buf;
}

void lines_deinit(struct lines *l)
{
	free(l->buf);
	l->buf = NULL;
}

/* Makes room behind what has to stay; the current line becomes the one before. */
static void make_room(struct lines *l)
{
	size_t keep = l->before - l->buf;
	char *buf = l->buf;

	memmove(buf, buf + keep, l->len - keep);
	l->len -= keep;
	l->at -= keep;
	if (l->len > l->cap / 2) {
		l->cap *= 2;
		buf = xreallocarray(buf, l->cap, 1);
	}
	l->buf = buf;
	l->before = buf;
}

static int refill(struct lines *l)
{
	const char *nul;
	ssize_t n;

	if (l->len - l->at > LINES_MAX_BYTES)
		return diag_set(l->r->ret_diag, E2BIG, "%s:%llu: line of more than %u MiB",
				l->r->name, (unsigned long long)l->number, LINES_MAX_BYTES >> 20);
	make_room(l);
	n = source_read(l->r->source, l->buf + l->len, l->cap - l->len, l->r->ret_diag);
	if (n < 0)
		return n;
	l->at_end = (size_t)n < l->cap - l->len;
	nul = memchr(l->buf + l->len, '\0', n);
	if (nul)
		l->nul = nul - l->buf;
	l->len += n;
	return 0;
}

/* The newline that ends the line at l->at, NULL when the input ends without. */
static int find_end(struct lines *l, const char **ret_end)
{
	size_t searched = 0;

	for (;;) {
		const char *from = l->buf + l->at;
		const char *end = memchr(from + searched, '\n', l->len - l->at - searched);
		int r;

		if (end || l->at_end || l->nul != SIZE_MAX) {
			*ret_end = end;
			return 0;
		}
		searched = l->len - l->at;
		r = refill(l);
		if (r < 0)
			return r;
	}
}

int lines_next(struct lines *l)
{
	const char *end;
	int r;

	l->before = l->line;
	l->before_len = l->line_len;
	l->number++;
	r = find_end(l, &end);
	if (r < 0)
		return r;
	if (l->number == 1 && l->len - l->at >= 3 && !memcmp(l->buf + l->at, BYTE_ORDER_MARK, 3))
		l->at += 3;
	l->line = l->buf + l->at;
	l->is_cut = !end;
	l->line_len = (end ? end : l->buf + l->len) - l->line;
	if (l->nul != SIZE_MAX && l->nul - l->at < l->line_len)
		return diag_set(l->r->ret_diag, EINVAL, "%s:%llu: binary data (a NUL byte)",
				l->r->name, (unsigned long long)l->number);
	if (!end && !l->line_len)
		return 0;
	l->at += l->line_len + (end != NULL);
	if (l->line_len && l->line[l->line_len - 1] == '\r')
		l->line_len--;
	return 1;
}
