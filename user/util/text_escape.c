// SPDX-License-Identifier: GPL-2.0-or-later
/* Escaping, one step a character: a step is a good character to copy or one byte to escape. */
#include "util/text_escape.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Length of the printable character at p (1 to 4), 0 when its first byte has to be escaped.  The
 * ranges of the second byte are those of RFC 3629, section 4; 0xc2 begins at 0xa0, not 0x80, which
 * leaves C1 out.
 */
static size_t printable_len(const unsigned char *p, size_t left)
{
	unsigned char lo = 0x80, hi = 0xbf;
	size_t len;

	if (*p < 0x80)
		return *p >= 0x20 && *p != 0x7f;
	if (*p >= 0xc2 && *p <= 0xdf)
		len = 2;
	else if (*p >= 0xe0 && *p <= 0xef)
		len = 3;
	else if (*p >= 0xf0 && *p <= 0xf4)
		len = 4;
	else
		return 0;
	if (*p == 0xc2 || *p == 0xe0)
		lo = 0xa0;
	else if (*p == 0xf0)
		lo = 0x90;
	else if (*p == 0xed)
		hi = 0x9f;
	else if (*p == 0xf4)
		hi = 0x8f;
	if (left < len || p[1] < lo || p[1] > hi)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return len;
}

/*
 * What a terminal or an editor shows by moving other text, or by a new line (Unicode 15,
 * PropList.txt: Bidi_Control; UAX #14: the classes BK, ZL and ZP; and the deprecated U+206A-206F):
 * U+061C, U+200E-200F, U+2028-202E, U+2066-206F.  p is a good character of that length.
 */
static bool is_hidden(const unsigned char *p, size_t len)
{
	if (len == 2)
		return p[0] == 0xd8 && p[1] == 0x9c;
	if (len != 3 || p[0] != 0xe2)
		return false;
	if (p[1] == 0x80)
		return (p[2] >= 0x8e && p[2] <= 0x8f) || (p[2] >= 0xa8 && p[2] <= 0xae);
	return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xaf;
}

/* How many bytes at the beginning need no escape. */
static size_t plain_len(const char *bytes, size_t len)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t i = 0, n;

	for (; i < len; i += n) {
		n = printable_len(p + i, len - i);
		if (!n || is_hidden(p + i, n))
			break;
	}
	return i;
}

void text_escape(struct strbuf *sb, const char *bytes, size_t len)
{
	static const char hex[] = "0123456789abcdef";

	while (len) {
		size_t n = plain_len(bytes, len);

		strbuf_add(sb, bytes, n);
		bytes += n;
		len -= n;
		if (len) {
			unsigned char c = *bytes++;

			len--;
			strbuf_add(sb, (char[]){ '\\', 'x', hex[c >> 4], hex[c & 15] }, 4);
		}
	}
}
