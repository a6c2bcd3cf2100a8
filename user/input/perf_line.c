// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of `perf script`.  A header begins with a comm, which is any bytes, so it is read from its
 * first number that is followed by what follows a pid; a frame ends with a module in parentheses,
 * which may hold parentheses of its own, so it is read from its end.
 */
#include "input/perf_line.h"

#include <string.h>

#define DIGITS "0123456789"

struct cursor {
	const char *p, *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && is_blank(*c->p))
		c->p++;
}

/* The next word, blanks before it skipped; empty at the end. */
static struct bytes next_word(struct cursor *c)
{
	struct bytes word;

	skip_blanks(c);
	word.at = c->p;
	while (c->p < c->end && !is_blank(*c->p))
		c->p++;
	word.len = c->p - word.at;
	return word;
}

static size_t span(struct bytes w, size_t from, const char *set)
{
	size_t n = from;

	while (n < w.len && w.at[n] && strchr(set, w.at[n]))
		n++;
	return n - from;
}

/* "9015", "9015/9016", "-1" */
static bool is_pid(struct bytes w)
{
	size_t n = w.len && w.at[0] == '-', digits = span(w, n, DIGITS);

	n += digits;
	if (digits && n < w.len && w.at[n] == '/') {
		n++;
		n += n < w.len && w.at[n] == '-';
		digits = span(w, n, DIGITS);
		n += digits;
	}
	return digits && n == w.len;
}

/* "[003]" */
static bool is_cpu(struct bytes w)
{
	size_t digits = w.len ? span(w, 1, DIGITS) : 0;

	return digits && w.at[0] == '[' && digits + 2 == w.len && w.at[w.len - 1] == ']';
}

/* "2874.420019:" */
static bool is_time(struct bytes w)
{
	size_t whole = span(w, 0, DIGITS), part;

	if (!whole || whole >= w.len || w.at[whole] != '.')
		return false;
	part = span(w, whole + 1, DIGITS);
	return part && whole + 1 + part + 1 == w.len && w.at[w.len - 1] == ':';
}

static bool is_number(struct bytes w)
{
	return w.len && span(w, 0, DIGITS) == w.len;
}

/* What stands behind the pid; false when it is no header after all. */
static bool parse_behind_pid(struct cursor c, struct perf_header *h)
{
	static const char record[] = "PERF_RECORD_";
	struct bytes w = next_word(&c);

	if (is_cpu(w)) {
		h->has_cpu = true;
		w = next_word(&c);
	}
	if (is_time(w)) {
		h->has_time = true;
		w = next_word(&c);
	}
	if (w.len >= sizeof(record) - 1 && !memcmp(w.at, record, sizeof(record) - 1)) {
		h->is_record = true;
		return h->has_time || h->has_cpu;
	}
	if (is_number(w)) {
		h->period = w;
		w = next_word(&c);
	}
	if (w.len == 3 && !memcmp(w.at, "raw", 3)) { /* "raw 0x1a8:", the one event of two words */
		next_word(&c);
		w.len = c.p - w.at;
	}
	if (w.len > 1 && w.at[w.len - 1] == ':' && !span(w, 0, DIGITS)) {
		h->event = (struct bytes){ w.at, w.len - 1 };
		skip_blanks(&c);
		h->tail = (struct bytes){ c.p, c.end - c.p };
		return true;
	}
	return !w.len && h->has_time && !h->period.len;
}

bool perf_header_parse(const char *line, size_t len, struct perf_header *ret_header)
{
	struct cursor c = { line, line + len };
	struct bytes comm = next_word(&c), w;

	for (w = next_word(&c); w.len; w = next_word(&c)) {
		struct perf_header h = { .comm = comm };

		if (is_pid(w) && parse_behind_pid(c, &h)) {
			*ret_header = h;
			return true;
		}
		comm.len = w.at + w.len - comm.at;
	}
	return false;
}

/* ---- frames ------------------------------------------------------------------------------- */

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
