// SPDX-License-Identifier: GPL-2.0-or-later
/* A parser by hand: sscanf(3) would cost more than the kernel takes to write the lines. */
#include "util/maps.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

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

bool maps_line_is_executable(const char *s, size_t len)
{
	const char *blank = memchr(s, ' ', len);

	return blank && len - (blank - s) > 4 && blank[3] == 'x';
}

int maps_line_parse(const char *s, size_t len, struct maps_line *ret_line)
{
	const char *end = s + len;
	struct maps_line l = { .path = "" };
	uint64_t major, minor;

	if (!eat_number(&s, end, 16, '-', &l.start) || !eat_number(&s, end, 16, ' ', &l.end) ||
	    l.start >= l.end || end - s < 5 || s[4] != ' ')
		return -EINVAL;
	l.is_executable = s[2] == 'x';
	s += 5;
	if (!eat_number(&s, end, 16, ' ', &l.offset) || !eat_number(&s, end, 16, ':', &major) ||
	    !eat_number(&s, end, 16, ' ', &minor) || major > UINT32_MAX || minor > UINT32_MAX)
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
	return 0;
}

void maps_read(const char *text, size_t len, bool (*fn)(void *ctx, const struct maps_line *line),
	       void *ctx)
{
	const char *end = text + len, *nl;

	for (; len && (nl = memchr(text, '\n', end - text)); text = nl + 1) {
		struct maps_line line;

		if (maps_line_is_executable(text, nl - text) &&
		    !maps_line_parse(text, nl - text, &line) && !fn(ctx, &line))
			return;
	}
}
