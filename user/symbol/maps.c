// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A parser by hand: nine of ten lines are dismissed after their permissions, and sscanf(3) would
 * cost more than the kernel takes to write them.
 */
#include "symbol/maps.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Longest line: 73 columns and a path of up to 4 KiB whose bytes may each be escaped as \ooo. */
#define READ_BYTES (64 << 10)

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 99;
}

/* Reads a number of that base up to `stop`, moves *s behind it; false: not there or too large. */
static bool eat_number(const char **s, const char *end, uint64_t base, char stop, uint64_t *ret)
{
	const char *p = *s;
	uint64_t v = 0;

	for (; p < end && *p != stop; p++) {
		uint64_t d = digit_value(*p);

		if (d >= base || __builtin_mul_overflow(v, base, &v))
			return false;
		v += d; /* cannot carry: v is a multiple of base, or base 10 checked below */
		if (v < d)
			return false;
	}
	if (p == *s || p == end)
		return false;
	*s = p + 1;
	*ret = v;
	return true;
}

int maps_line_parse(const char *s, size_t len, struct maps_line *ret_line)
{
	const char *end = s + len;
	struct maps_line l = { .path = "" };
	uint64_t major, minor;
	const char *perms;

	if (!eat_number(&s, end, 16, '-', &l.start) || !eat_number(&s, end, 16, ' ', &l.end) ||
	    l.start >= l.end || end - s < 5 || s[4] != ' ')
		return -EINVAL;
	perms = s;
	s += 5;
	if (perms[2] != 'x')
		return 0;
	if (!eat_number(&s, end, 16, ' ', &l.offset) || !eat_number(&s, end, 16, ':', &major) ||
	    !eat_number(&s, end, 16, ' ', &minor))
		return -EINVAL;
	/* The inode ends the line of anonymous memory, with or without a blank behind it. */
	for (; s < end && *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(l.ino, 10, &l.ino) ||
		    __builtin_add_overflow(l.ino, *s - '0', &l.ino))
			return -EINVAL;
	if (s < end && *s != ' ')
		return -EINVAL;
	while (s < end && *s == ' ')
		s++;
	l.dev = makedev(major, minor);
	l.path = s;
	l.path_len = end - s;
	*ret_line = l;
	return 1;
}

struct reader {
	bool (*fn)(void *ctx, const struct maps_line *line);
	void *ctx;
	int nr_lines;
	bool stopped;
};

static size_t eat_lines(struct reader *r, char *buf, size_t len)
{
	char *p = buf, *nl;

	while (!r->stopped && (nl = memchr(p, '\n', buf + len - p))) {
		struct maps_line line;

		if (maps_line_parse(p, nl - p, &line) > 0)
			r->stopped = !r->fn(r->ctx, &line);
		r->nr_lines++;
		p = nl + 1;
	}
	len -= p - buf;
	memmove(buf, p, len);
	return len;
}

int maps_read(int fd, bool (*fn)(void *ctx, const struct maps_line *line), void *ctx)
{
	struct reader r = { .fn = fn, .ctx = ctx };
	char buf[READ_BYTES];
	size_t len = 0;

	while (!r.stopped) {
		ssize_t n = read(fd, buf + len, sizeof(buf) - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len = eat_lines(&r, buf, len + n);
		if (len == sizeof(buf)) /* no line is that long: drop what there is of it */
			len = 0;
	}
	return r.nr_lines;
}
