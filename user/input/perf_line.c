// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Headers of `perf script`.  One begins with a comm, which is any bytes, so it is read from its
 * first number that is followed by what follows a pid.
 */
#include "input/perf_line.h"

#include <string.h>

#include "input/perf_words.h"

#define DIGITS	       "0123456789"
#define HEX	       DIGITS "abcdef"
#define COMM_MAX_BYTES 64 /* the kernel's have 15; also bounds what a line without end costs */
#define TAIL_MAX_BYTES (64 * 1024)

static size_t span(struct bytes w, size_t from, const char *set)
{
	size_t n = from;

	while (n < w.len && w.at[n] && strchr(set, w.at[n]))
		n++;
	return n - from;
}

/* "9015", "9015/9016", "-1"; false and nothing set: it is something else. */
static bool parse_pid(struct bytes w, struct perf_header *h)
{
	size_t minus = w.len && w.at[0] == '-', end = minus + span(w, minus, DIGITS);
	struct bytes first = { w.at, end }, second;

	if (end == minus)
		return false;
	if (end == w.len) {
		h->tid = first;
		return true;
	}
	if (w.at[end] != '/')
		return false;
	second = (struct bytes){ w.at + end + 1, w.len - end - 1 };
	minus = second.len && second.at[0] == '-';
	end = span(second, minus, DIGITS);
	if (!end || minus + end != second.len)
		return false;
	h->pid = first;
	h->tid = second;
	return true;
}

/* "[003]" */
static bool parse_cpu(struct bytes w, struct perf_header *h)
{
	size_t digits = w.len ? span(w, 1, DIGITS) : 0;

	if (!digits || w.at[0] != '[' || digits + 2 != w.len || w.at[w.len - 1] != ']')
		return false;
	h->cpu = (struct bytes){ w.at + 1, digits };
	return true;
}

/* "K", "U", "Ep": what -F +misc prints of the mode that was sampled. */
static bool is_misc(struct bytes w)
{
	return w.len && w.len <= 3 && span(w, 0, "KUHGgMESp") == w.len;
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

/* "2026-11-22 22:46:14.087278", of -F +tod; cut off the cursor. */
static bool eat_time_of_day(struct cursor *c)
{
	struct cursor behind = *c;
	struct bytes date = next_word(&behind), clock = next_word(&behind);

	if (date.len != 10 || date.at[4] != '-' || date.at[7] != '-' ||
	    span(date, 0, DIGITS "-") != date.len)
		return false;
	if (clock.len < 10 || clock.at[2] != ':' || clock.at[5] != ':' || clock.at[8] != '.' ||
	    span(clock, 0, DIGITS ":.") != clock.len)
		return false;
	*c = behind;
	return true;
}

/* Does what lies behind the cursor begin with a time? */
static bool is_at_time(struct cursor c)
{
	return eat_time_of_day(&c) || is_time(next_word(&c));
}

static bool is_number(struct bytes w)
{
	return w.len && span(w, 0, DIGITS) == w.len;
}

/* "cycles:u:"; no word that begins with a digit is one. */
static bool parse_event(struct bytes w, struct perf_header *h)
{
	if (w.len < 2 || w.at[w.len - 1] != ':' || span(w, 0, DIGITS))
		return false;
	h->event = (struct bytes){ w.at, w.len - 1 };
	return true;
}

/* Cuts "K", "U" and the like off, which stand before a time. */
static void skip_misc(struct cursor *c)
{
	struct cursor behind = *c;
	struct bytes w = next_word(&behind);

	if (is_misc(w) && is_at_time(behind))
		*c = behind;
}

/* Behind comm, pid and time without an event: a frame that says so, or nothing. */
static bool parse_without_event(struct cursor c, struct perf_header *h)
{
	struct perf_frame frame;

	h->tail = rest_of(c);
	return !h->tail.len || (h->tail.len <= TAIL_MAX_BYTES && perf_tail_parse(h->tail, &frame) &&
				frame.module.len);
}

/* What stands behind comm and pid; false when it is no header after all. */
static bool parse_behind_pid(struct cursor c, struct perf_header *h)
{
	struct cursor behind_time = c, behind;
	struct bytes w;

	skip_misc(&c);
	behind = c;
	if (parse_cpu(next_word(&behind), h)) {
		c = behind;
		skip_misc(&c);
	}
	if (eat_time_of_day(&c)) {
		h->has_time = true;
		behind_time = c;
	}
	w = next_word(&c);
	if (is_time(w)) {
		h->has_time = true;
		behind_time = c;
		w = next_word(&c);
	}
	if (begins_with(w, "PERF_RECORD_")) {
		h->is_record = true;
		return h->has_time || h->cpu.len;
	}
	if (is_number(w)) {
		h->period = w;
		w = next_word(&c);
	}
	if (w.len == 3 && !memcmp(w.at, "raw", 3)) { /* "raw 0x1a8:", the one event of two words */
		next_word(&c);
		w.len = c.p - w.at;
	}
	if (parse_event(w, h)) {
		h->tail = rest_of(c);
		return true;
	}
	if (!h->has_time)
		return false;
	if (h->period.len && !w.len)
		return true;
	h->period.len = 0;
	return parse_without_event(behind_time, h);
}

/* Without a comm: only a time makes it sure. */
static bool parse_without_comm(struct cursor c, struct perf_header *ret_header)
{
	struct perf_header h = { 0 };
	struct cursor behind = c;

	if (!parse_pid(next_word(&behind), &h))
		behind = c;
	if (!parse_behind_pid(behind, &h) || !h.has_time)
		return false;
	*ret_header = h;
	return true;
}

static bool parse_header(struct cursor c, struct perf_header *ret_header)
{
	struct bytes comm, w;

	if (parse_without_comm(c, ret_header))
		return true;
	comm = next_word(&c);
	for (struct cursor at = c; (w = next_word(&c)).len; at = c) {
		struct perf_header h = { .comm = comm };

		if (parse_pid(w, &h) && parse_behind_pid(c, &h)) {
			*ret_header = h;
			return true;
		}
		h = (struct perf_header){ .comm = comm };
		if (is_at_time(at) && parse_behind_pid(at, &h)) { /* -F without pid and tid */
			*ret_header = h;
			return true;
		}
		comm.len = w.at + w.len - comm.at;
		if (comm.len > COMM_MAX_BYTES)
			break;
	}
	return false;
}

/* "VM:   12 VCPU:003 ", of -F +machine_pid,vcpu, stands before the comm. */
static bool eat_guest(struct cursor *c)
{
	struct bytes w = next_word(c);
	struct cursor behind;

	if (!begins_with(w, "VM:"))
		return false;
	if (w.len == 3)
		w = next_word(c);
	else
		w = (struct bytes){ w.at + 3, w.len - 3 };
	if (!is_number(w))
		return false;
	behind = *c;
	if (begins_with(next_word(&behind), "VCPU:"))
		*c = behind;
	return true;
}

bool perf_header_parse(const char *line, size_t len, struct perf_header *ret_header)
{
	struct cursor c = { line, line + len }, behind_guest = c;

	/* Without a comm behind it, that was the comm. */
	if (eat_guest(&behind_guest) && parse_header(behind_guest, ret_header) &&
	    ret_header->comm.len)
		return true;
	return parse_header(c, ret_header);
}

/* Cuts the last word off; blanks before it too. */
static struct bytes cut_word(struct bytes *b)
{
	struct bytes word = { b->at + b->len, 0 };

	while (b->len && !is_blank(b->at[b->len - 1])) {
		b->len--;
		word.at--;
		word.len++;
	}
	while (b->len && is_blank(b->at[b->len - 1]))
		b->len--;
	return word;
}

static struct bytes trimmed(const char *line, size_t len)
{
	struct bytes b = rest_of((struct cursor){ line, line + len });

	while (b.len && is_blank(b.at[b.len - 1]))
		b.len--;
	return b;
}

bool perf_line_is_period(const char *line, size_t len)
{
	struct bytes b = trimmed(line, len);
	size_t end = b.at + b.len - line;

	return is_number(b) && b.len <= 20 && (end == 10 || (end > 10 && b.at == line)) &&
	       end < len && *line != '\t';
}

bool perf_header_parse_bare(const char *line, size_t len, struct perf_header *ret_header)
{
	struct perf_header h = { .comm = trimmed(line, len) };
	struct bytes without = h.comm, w;

	if (!h.comm.len)
		return false;
	if (perf_line_is_period(line, len)) {
		h.period = h.comm;
		h.comm.len = 0;
		*ret_header = h;
		return true;
	}
	if (parse_event(cut_word(&without), &h))
		h.comm = without;
	without = h.comm;
	w = cut_word(&without);
	/* A period is printed 10 columns wide, a PID never is. */
	if (h.event.len && !without.len && is_number(w) && w.at + w.len - line >= 10)
		h.period = w;
	if (h.period.len || (h.comm.len && parse_pid(w, &h)))
		h.comm = without;
	*ret_header = h;
	return true;
}

#define IP_COLUMNS 17 /* a blank and 16 digits, with blanks before them */

bool perf_header_parse_short(const char *line, size_t len, struct perf_header *ret_header)
{
	struct cursor c = { line, line + len };
	const char *end = line;
	struct perf_header h = { 0 };
	struct perf_frame frame;
	struct bytes w;

	for (w = next_word(&c); w.len; w = next_word(&c)) {
		if (w.at + w.len - end >= IP_COLUMNS && w.len <= 16 && span(w, 0, HEX) == w.len)
			break;
		end = w.at + w.len;
	}
	h.tail = (struct bytes){ w.at, line + len - w.at };
	if (!w.len || !perf_tail_parse(h.tail, &frame) || !(frame.module.len || frame.symbol.len))
		return false;
	perf_header_parse_bare(line, w.at - line, &h);
	h.tail = (struct bytes){ w.at, line + len - w.at };
	*ret_header = h;
	return true;
}
