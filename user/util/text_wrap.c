// SPDX-License-Identifier: GPL-2.0-or-later
/* One line at a time, one character at a time; a blank that was passed is where it may break. */
#include "util/text_wrap.h"

#include <stdbool.h>
#include <string.h>

#include "util/strbuf.h"
#include "util/text_width.h"

#define MIN_COLUMNS 20
#define INDENT	    2

#define MIN_WORDS_AT 16 /* what is said of options begins there, or farther to the right */

/* The bytes of the colour that begins here; 0: none does. */
static size_t colour_length(const char *text, size_t len)
{
	size_t at = 2;

	if (len < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (at < len && text[at] != 'm')
		at++;
	return at < len ? at + 1 : 0;
}

/* Bytes of one character, at least one. */
static size_t char_length(const char *text, size_t len)
{
	size_t n = 1;

	while (n < len && ((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static bool may_break(const char *text, size_t len, size_t at)
{
	return text[at] == ' ' && (at + 1 == len || text[at + 1] != '%');
}

/*
 * How many bytes fit; up to the last blank that has a word before it, if there is one.  A number
 * keeps its "%".
 */
static size_t line_length(const char *text, size_t len, size_t columns)
{
	size_t at = 0, width = 0, blank = 0;
	int has_word = 0;

	while (at < len) {
		size_t n = colour_length(text + at, len - at), w = 0;

		if (!n) {
			n = char_length(text + at, len - at);
			w = text_width(text + at, n);
		}
		if (w > columns - width)
			return blank && !may_break(text, len, at) ? blank : at;
		if (has_word && may_break(text, len, at))
			blank = at;
		has_word |= w && text[at] != ' ';
		at += n;
		width += w;
	}
	return len;
}

static void write_line(FILE *out, const char *text, size_t len, size_t columns, size_t indent)
{
	size_t used = 0;

	do {
		size_t n = line_length(text, len, columns - used);

		fprintf(out, "%*s", (int)used, "");
		fwrite(text, 1, n, out);
		putc('\n', out);
		while (n < len && text[n] == ' ')
			n++;
		text += n;
		len -= n;
		used = indent;
	} while (len);
}

static bool is_usage(const char *text, size_t len)
{
	return len > 6 && !memcmp(text, "usage:", 6);
}

static size_t blanks_at(const char *text, size_t len, size_t at)
{
	size_t n = 0;

	while (at + n < len && text[at + n] == ' ')
		n++;
	return n;
}

/* Where what is said of an option begins in its line; of other lines where they do themselves. */
static size_t words_at(const char *text, size_t len)
{
	size_t begin = blanks_at(text, len, 0), at = begin;

	if (at < len && text[at] == '-')
		while (at < len && blanks_at(text, len, at) < 2)
			at++;
	if (at == len)
		return begin;
	return at + (at > begin ? blanks_at(text, len, at) : 0);
}

static size_t help_indent(const char *text, size_t len, size_t columns)
{
	size_t at = words_at(text, len);

	if (!at)
		return is_usage(text, len) ? strlen("usage: ") : 0;
	return at > INDENT && at <= columns / 2 ? at : INDENT;
}

/* Does the next line of a help go on with what this one says? */
static bool goes_on(const char *text, size_t len, const char *next, size_t next_len)
{
	size_t begin = blanks_at(text, len, 0), next_begin = blanks_at(next, next_len, 0);

	if (begin == len || next_begin == next_len || next[next_begin] == '-')
		return false;
	if (is_usage(text, len))
		return next_begin > 0;
	if (!begin && !next_begin)
		return true;
	return next_begin >= MIN_WORDS_AT && words_at(text, len) >= MIN_WORDS_AT;
}

static size_t line_end(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', end - text);

	return (newline ? newline : end) - text;
}

/* Takes the sentence that begins there, in however many lines; returns the bytes that it had. */
static size_t join_lines(struct strbuf *to, const char *text, const char *end)
{
	const char *at = text;
	size_t n = line_end(at, end);

	strbuf_reset(to);
	strbuf_add(to, at, n);
	for (const char *next; (next = at + n + 1) < end; at = next) {
		size_t next_n = line_end(next, end), blanks = blanks_at(next, next_n, 0);

		if (!goes_on(to->bytes, to->len, next, next_n))
			break;
		strbuf_addch(to, ' ');
		strbuf_add(to, next + blanks, next_n - blanks);
		n = next_n;
	}
	return at + n + 1 - text;
}

void text_wrap_write(FILE *out, const char *text, size_t len, size_t columns)
{
	const char *end = text + len;

	if (columns < MIN_COLUMNS) {
		fwrite(text, 1, len, out);
		return;
	}
	while (text < end) {
		size_t n = line_end(text, end);

		write_line(out, text, n, columns, INDENT);
		text += n + 1;
	}
}

void text_wrap_write_help(FILE *out, const char *text, size_t len, size_t columns)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	const char *end = text + len;

	if (columns < MIN_COLUMNS) {
		fwrite(text, 1, len, out);
		return;
	}
	while (text < end) {
		text += join_lines(&line, text, end);
		write_line(out, line.bytes, line.len, columns,
			   help_indent(line.bytes, line.len, columns));
	}
}
