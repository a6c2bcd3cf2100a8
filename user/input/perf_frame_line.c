// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of `perf script`.  One ends with a module in parentheses, which may hold parentheses of
 * its own, so it is read from its end.
 */
#include <string.h>

#include "input/perf_line.h"
#include "input/perf_words.h"

static bool eat_hex(struct cursor *c, uint64_t *ret_value)
{
	const char *from = c->p;
	uint64_t v = 0;

	for (; c->p < c->end && c->p - from < 17; c->p++) {
		char d = *c->p;

		if (d >= '0' && d <= '9')
			v = v << 4 | (uint64_t)(d - '0');
		else if (d >= 'a' && d <= 'f')
			v = v << 4 | (uint64_t)(d - 'a' + 10);
		else
			break;
	}
	*ret_value = v;
	return c->p > from && c->p - from <= 16;
}

/* Cuts "+0xHEX" off the end. */
static bool cut_offset(struct bytes *b, uint64_t *ret_offset)
{
	const char *plus = memrchr(b->at, '+', b->len);
	struct cursor c = { plus ? plus + 3 : NULL, b->at + b->len };

	if (!plus || c.p >= c.end || memcmp(plus, "+0x", 3) || !eat_hex(&c, ret_offset) ||
	    c.p != c.end)
		return false;
	b->len = plus - b->at;
	return true;
}

/* Where the parenthesis that the last byte closes was opened; NULL: it is not a module's. */
static const char *module_begin(struct bytes rest)
{
	size_t open = 0;

	if (!rest.len || rest.at[rest.len - 1] != ')')
		return NULL;
	for (size_t i = rest.len; i-- > 0;) {
		open += rest.at[i] == ')';
		open -= rest.at[i] == '(';
		if (!open)
			return !i || rest.at[i - 1] == ' ' ? rest.at + i : NULL;
	}
	/* A lone ')' in a file name: the last " (" it is. */
	for (size_t i = rest.len; i-- > 1;)
		if (rest.at[i] == '(' && rest.at[i - 1] == ' ')
			return rest.at + i;
	return NULL;
}

bool perf_frame_parse(const char *line, size_t len, struct perf_frame *ret_frame)
{
	struct perf_frame f = { 0 };
	struct cursor c = { line, line + len };
	struct bytes rest;
	uint64_t offset;
	const char *open;

	skip_blanks(&c);
	if (!eat_hex(&c, &f.addr) || (c.p < c.end && !is_blank(*c.p)))
		return false;
	skip_blanks(&c);
	rest = (struct bytes){ c.p, c.end - c.p };
	while (rest.len && is_blank(rest.at[rest.len - 1]))
		rest.len--;
	open = module_begin(rest);
	if (open) {
		f.module = (struct bytes){ open + 1, rest.at + rest.len - open - 2 };
		f.has_module_offset = cut_offset(&f.module, &f.module_offset);
		rest.len = open - rest.at;
		while (rest.len && is_blank(rest.at[rest.len - 1]))
			rest.len--;
	}
	cut_offset(&rest, &offset);
	if (rest.len != strlen("[unknown]") || memcmp(rest.at, "[unknown]", rest.len))
		f.symbol = rest;
	*ret_frame = f;
	return true;
}

bool perf_line_is_blank(const char *line, size_t len)
{
	while (len && (is_blank(*line) || *line == '\r')) {
		line++;
		len--;
	}
	return !len;
}

/* Does it begin with a field that perf prints behind a frame? */
static bool is_extra(struct bytes b)
{
	return begins_with(b, "ABI:") || begins_with(b, "insn:") || begins_with(b, "ilen:") ||
	       begins_with(b, "0x");
}

bool perf_tail_parse(struct bytes tail, struct perf_frame *ret_frame)
{
	for (size_t i = 0; i + 1 < tail.len; i++) {
		struct cursor c = { tail.at + i + 1, tail.at + tail.len };

		/* Instructions that were decoded (--insn-trace) stand in a column of their own. */
		if (tail.at[i] == ')' && is_blank(tail.at[i + 1]) &&
		    (is_extra(rest_of(c)) || tail.at[i + 1] == '\t' ||
		     (c.p < c.end && is_blank(*c.p)))) {
			tail.len = i + 1;
			break;
		}
	}
	return perf_frame_parse(tail.at, tail.len, ret_frame);
}

/* "main+0x1/f+0x2/P/-/-/1": a branch, from and to. */
static bool is_branch(struct bytes w)
{
	size_t slashes = 0;

	for (size_t i = 0; i < w.len; i++)
		slashes += w.at[i] == '/';
	return slashes >= 5 && w.at[0] != '/';
}

bool perf_line_is_extra(const char *line, size_t len)
{
	struct cursor c = { line, line + len };
	struct bytes rest = rest_of(c);

	return len && is_blank(*line) && (is_extra(rest) || is_branch(next_word(&c)));
}
