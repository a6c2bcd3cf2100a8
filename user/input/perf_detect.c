// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first line that is no comment decides.  A header with an event alone could be folded text by
 * chance: it has to end with the event.  One that ends with a count may be a stack, and somebody
 * may have called his process so that it is read as a header: then the next line is asked.  All
 * folded lines end with a count, and of perf's hardly one does; when all that is seen is both,
 * stacks have more than one frame.  A header that any line could be needs a frame below it.
 */
#include "input/perf_detect.h"

#include <string.h>

#include "input/perf_line.h"

/* "a;b 3": may it be a line of folded text? */
static bool is_folded_line(const char *line, size_t len)
{
	size_t digits = 0;

	while (digits < len && line[len - 1 - digits] >= '0' && line[len - 1 - digits] <= '9')
		digits++;
	return digits && digits + 1 < len && line[len - 1 - digits] == ' ';
}

static bool is_indented(const char *line)
{
	return *line == ' ' || *line == '\t';
}

struct seen {
	bool has_both;	 /* lines so far may be both */
	bool has_frames; /* one of them has a ';' */
	bool has_bare;	 /* the line before is a header if a frame follows */
};

enum verdict { IS_PERF, IS_FOLDED, IS_OPEN };

/* May it be a line of perf script, a frame if there was a header before? */
static bool is_perf_line(const struct seen *seen, const char *line, size_t len)
{
	struct perf_header h;
	struct perf_frame frame;

	if (perf_header_parse(line, len, &h))
		return h.has_time || h.cpu.len || !h.tail.len;
	return seen->has_both && is_indented(line) && perf_frame_parse(line, len, &frame);
}

/* Forms of -F that have neither time nor event, none of which ends with a count. */
static enum verdict ask_bare(struct seen *seen, const char *line, size_t len)
{
	struct perf_header h;
	struct perf_frame frame;

	if (is_indented(line) && perf_frame_parse(line, len, &frame) &&
	    (frame.symbol.len || frame.module.len))
		return IS_PERF;
	if (seen->has_bare)
		return IS_FOLDED;
	if (*line != '\t' && perf_header_parse_short(line, len, &h))
		return IS_PERF;
	seen->has_bare = true;
	return IS_OPEN;
}

static enum verdict ask_line(struct seen *seen, const char *line, size_t len)
{
	static const char record[] = "PERF_RECORD_";
	bool is_folded = is_folded_line(line, len);

	if (seen->has_bare)
		return is_folded ? IS_FOLDED : ask_bare(seen, line, len);
	if (!is_perf_line(seen, line, len)) {
		if (seen->has_both)
			return IS_FOLDED;
		if (len >= sizeof(record) - 1 && !memcmp(line, record, sizeof(record) - 1))
			return IS_PERF;
		if (!is_folded)
			return ask_bare(seen, line, len);
		/* "sh 123 ": a comm and its PID, or a stack and its count */
		if (is_indented(line))
			return IS_FOLDED;
		seen->has_bare = true;
		return IS_OPEN;
	}
	if (!is_folded)
		return IS_PERF;
	seen->has_both = true;
	seen->has_frames |= memchr(line, ';', len) != NULL;
	return IS_OPEN;
}

bool perf_script_detect(const char *bytes, size_t len)
{
	static const char begin[] = "# ========\n# captured on";
	const char *end = bytes + len;
	struct seen seen = { 0 };

	if (len >= sizeof(begin) - 1 && !memcmp(bytes, begin, sizeof(begin) - 1))
		return true;
	while (bytes < end) {
		const char *stop = memchr(bytes, '\n', end - bytes);
		size_t line_len = (stop ? stop : end) - bytes;
		enum verdict verdict = IS_OPEN;
		const char *line = bytes;

		bytes += line_len + 1;
		if (line_len && line[line_len - 1] == '\r')
			line_len--;
		/* The last one may be cut. */
		if (*line != '#' && !perf_line_is_blank(line, line_len) &&
		    (stop || !(seen.has_both || seen.has_bare)))
			verdict = ask_line(&seen, line, line_len);
		if (verdict != IS_OPEN)
			return verdict == IS_PERF;
	}
	return seen.has_both && !seen.has_frames;
}
