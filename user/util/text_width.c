// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Widths from a short table of ranges (Unicode 15, EastAsianWidth W and F, and the blocks of
 * combining marks): wcwidth() would need a locale, and a profiler's output should not.
 */
#include "util/text_width.h"

#include <stdint.h>

#include "util/mem.h"

struct range {
	uint32_t from, to;
};

static const struct range zero[] = {
	{ 0x0300, 0x036f },   { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f },   { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
	{ 0x20d0, 0x20ff },   { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff },
	{ 0xe0100, 0xe01ef },
};

static const struct range wide[] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2e80, 0x303e },	  { 0x3041, 0x33ff },
	{ 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },   { 0xa000, 0xa4cf },	  { 0xa960, 0xa97f },
	{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },	  { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 },   { 0x17000, 0x18aff }, { 0x1b000, 0x1b2ff }, { 0x1f300, 0x1f64f },
	{ 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static int in_ranges(const struct range *ranges, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return 1;
	return 0;
}

static size_t char_width(uint32_t c)
{
	if (c < 0x300)
		return 1;
	if (in_ranges(zero, ARRAY_SIZE(zero), c))
		return 0;
	return in_ranges(wide, ARRAY_SIZE(wide), c) ? 2 : 1;
}

/* One character; a byte that begins none is one of its own.  len > 0; returns its bytes. */
static size_t next_char(const unsigned char *p, size_t len, uint32_t *ret_char)
{
	size_t n = *p < 0xc2 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 1;
	uint32_t c = *p;

	*ret_char = c;
	if (n == 1 || n > len)
		return 1;
	c &= 0x7f >> n;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (p[i] & 0x3f);
	}
	*ret_char = c;
	return n;
}

size_t text_fit(const char *bytes, size_t len, size_t columns, size_t *ret_width)
{
	size_t at = 0, width = 0;

	while (at < len) {
		uint32_t c;
		size_t n = next_char((const unsigned char *)bytes + at, len - at, &c);
		size_t w = char_width(c);

		if (w > columns - width)
			break;
		at += n;
		width += w;
	}
	if (ret_width)
		*ret_width = width;
	return at;
}

size_t text_width(const char *bytes, size_t len)
{
	size_t width;

	text_fit(bytes, len, SIZE_MAX, &width);
	return width;
}

void text_fit_add(struct strbuf *sb, const char *bytes, size_t len, size_t columns, bool is_ascii)
{
	const char *dots = is_ascii ? ".." : "\u2026";
	size_t taken = is_ascii ? 2 : 1;

	if (text_fit(bytes, len, columns, NULL) == len) {
		strbuf_add(sb, bytes, len);
	} else if (columns > taken) {
		strbuf_add(sb, bytes, text_fit(bytes, len, columns - taken, NULL));
		strbuf_addstr(sb, dots);
	} else {
		strbuf_add(sb, "..", columns < taken ? columns : taken);
	}
}
