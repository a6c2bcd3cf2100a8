// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded text: "main;parse;read 17", a line a stack.  Folded files are sorted, so a line begins
 * like the one before it: the bytes they share are compared, the nodes they lead to are remembered
 * and only frames behind them are looked up.  Unsorted text is read as well, it only shares less.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/lines.h"
#include "input/reader.h"
#include "util/mem.h"

/* So many lines do not all end in a function whose name ends in a number by chance. */
#define CHECK_EVERY 1024 /* levels of one stack: before their nodes are made */

struct folded {
	struct reading *r;
	struct lines lines;
	/* Of the line before: its levels, and nodes and frames by level. */
	uint32_t *ends; /* offset behind a frame in its line; a line has less than 2^32 bytes */
	node_id *nodes;
	frame_id *frames;
	size_t depth, cap;
	struct input_lines *told; /* NULL: nobody asks */
};

static int fail(const struct folded *f, const char *what)
{
	diag_set(f->r->ret_diag, EINVAL, "%s:%llu: %s", f->r->name,
		 (unsigned long long)f->lines.number, what);
	return -EINVAL;
}

static bool is_skipped(const char *line, size_t len)
{
	if (len >= 2 && line[0] == '#' && line[1] == ' ')
		return true;
	while (len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	return !len;
}

/* What is wrong with a count that goes on at p with something else than a digit. */
static const char *wrong_count(const char *p, const char *end)
{
	size_t rest = 1;

	while (p + rest < end && p[rest] >= '0' && p[rest] <= '9')
		rest++;
	if (*p == '.' && p + rest == end)
		return "the count has a fraction, and counts are whole numbers (multiply all of "
		       "them first)";
	return "the count is not a number without sign and point";
}

/* The number at the end of the line, and how many bytes stand before the space before it. */
static int parse_count(const struct folded *f, uint64_t *ret_count, size_t *ret_stack_len)
{
	const char *line = f->lines.line, *space = memrchr(line, ' ', f->lines.line_len);
	const char *end = line + f->lines.line_len, *p;
	uint64_t count = 0;

	if (!space || space + 1 == end)
		return fail(f, "no count");
	p = space + 1;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9')
			return fail(f, p == space + 1 && *p != '-' && *p != '+'
					       ? "no count"
					       : wrong_count(p, end));
		if (__builtin_mul_overflow(count, 10, &count) ||
		    __builtin_add_overflow(count, *p - '0', &count) || count > INT64_MAX)
			return fail(f, "the count is larger than 9223372036854775807");
	}
	if (space == line)
		return fail(f, "no frames before the count");
	*ret_count = count;
	*ret_stack_len = space - line;
	return 0;
}

static size_t common_len(const char *a, const char *b, size_t max)
{
	size_t n = 0;

	for (; n + 8 <= max; n += 8) {
		uint64_t x, y;

		memcpy(&x, a + n, 8);
		memcpy(&y, b + n, 8);
		if (x == y)
			continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		return n + __builtin_ctzll(x ^ y) / 8;
#else
		return n + __builtin_clzll(x ^ y) / 8;
#endif
	}
	while (n < max && a[n] == b[n])
		n++;
	return n;
}

/* Drops the levels that the current line does not share with the one before. */
static void keep_shared_levels(struct folded *f, size_t stack_len)
{
	const struct lines *l = &f->lines;
	size_t max = stack_len < l->before_len ? stack_len : l->before_len;
	size_t shared = f->depth ? common_len(l->line, l->before, max) : 0;

	while (f->depth) {
		size_t end = f->ends[f->depth - 1];

		if (end <= shared && (end == stack_len || l->line[end] == ';'))
			break;
		f->depth--;
	}
}

/* Room for one more level. */
static void reserve_level(struct folded *f)
{
	size_t cap = array_capacity(f->cap, f->depth + 1);

	if (f->depth < f->cap)
		return;
	f->ends = xreallocarray(f->ends, cap, sizeof(*f->ends));
	f->nodes = xreallocarray(f->nodes, cap, sizeof(*f->nodes));
	f->frames = xreallocarray(f->frames, cap, sizeof(*f->frames));
	f->cap = cap;
}

/* The frames from p on, behind those of the levels that are kept. */
static int add_levels(struct folded *f, const char *p, size_t stack_len)
{
	struct frame_table *frames = profile_frames(f->r->into);
	const char *line = f->lines.line, *end = line + stack_len;
	size_t shared = f->depth;

	while (p <= end) {
		const char *stop = memchr(p, ';', end - p);

		if (!stop)
			stop = end;
		if (stop == p)
			return fail(f, "empty frame");
		reserve_level(f);
		f->ends[f->depth] = stop - line;
		f->frames[f->depth++] = frame_table_add_text(frames, p, stop - p);
		p = stop + 1;
		if (f->depth % CHECK_EVERY == 0 &&
		    reading_check_more_nodes(f->r, f->lines.number, f->depth - shared) < 0)
			return -E2BIG;
	}
	return 0;
}

static int add_stack(struct folded *f, size_t stack_len, uint64_t count)
{
	const char *p = f->lines.line;
	node_id node = NODE_ROOT;
	size_t shared;
	int r;

	keep_shared_levels(f, stack_len);
	shared = f->depth;
	if (shared) {
		node = f->nodes[shared - 1];
		p += f->ends[shared - 1] + 1;
	}
	r = add_levels(f, p, stack_len);
	if (r < 0)
		return r;
	profile_path(f->r->into, node, f->frames + shared, f->depth - shared, f->nodes + shared);
	node = f->nodes[f->depth - 1];
	if (profile_add(f->r->into, node, count) < 0)
		return diag_set(f->r->ret_diag, EOVERFLOW,
				"%s:%llu: the counts add up to more than 9223372036854775807",
				f->r->name, (unsigned long long)f->lines.number);
	return reading_check_nodes(f->r, f->lines.number);
}

/* A line with count 0 leaves nothing behind, but it has to be well-formed. */
static int check_stack(struct folded *f, size_t stack_len)
{
	const char *line = f->lines.line;

	f->depth = 0;
	if (line[0] == ';' || line[stack_len - 1] == ';' || memmem(line, stack_len, ";;", 2))
		return fail(f, "empty frame");
	return 0;
}

static void tell_line(struct folded *f, node_id node)
{
	if (!f->told)
		return;
	array_reserve(f->told->nodes, f->told->cap, f->told->nr + 1);
	f->told->nodes[f->told->nr++] = node;
}

static int read_line(struct folded *f)
{
	uint64_t count;
	size_t stack_len;
	int r;

	if (is_skipped(f->lines.line, f->lines.line_len)) {
		f->depth = 0;
		tell_line(f, NODE_DROP);
		return 0;
	}
	r = parse_count(f, &count, &stack_len);
	if (r < 0)
		return r;
	r = count ? add_stack(f, stack_len, count) : check_stack(f, stack_len);
	if (r >= 0)
		tell_line(f, count ? f->nodes[f->depth - 1] : NODE_DROP);
	return r;
}

static int folded_read(struct reading *r)
{
	const struct input_opts *o = &r->opts;
	struct folded f = { .r = r, .told = o->ret_lines };
	int err;

	if (o->event || o->by_period || o->nr_pids || o->nr_tids)
		return diag_set(r->ret_diag, EINVAL,
				"%s: --%s is of perf script text, which this is not", r->name,
				o->event       ? "event"
				: o->by_period ? "by"
				: o->nr_pids   ? "pid"
					       : "tid");

	lines_init(&f.lines, r);
	while ((err = lines_next(&f.lines)) > 0) {
		err = read_line(&f);
		if (err < 0)
			break;
	}
	lines_deinit(&f.lines);
	free(f.ends);
	free(f.nodes);
	free(f.frames);
	return err;
}

/* "main;f 12 15": are there two numbers behind the stack? */
static bool has_two_counts(const char *line, size_t len)
{
	for (int i = 0; i < 2; i++) {
		size_t digits = 0;

		while (digits < len && line[len - 1 - digits] >= '0' &&
		       line[len - 1 - digits] <= '9')
			digits++;
		if (!digits || digits >= len || line[len - 1 - digits] != ' ')
			return false;
		len -= digits + 1;
	}
	return len > 0;
}

size_t folded_nr_diff_lines(const char *bytes, size_t len)
{
	const char *end = bytes + len, *stop;
	bool has_frames = false;
	size_t nr = 0;

	for (; (stop = memchr(bytes, '\n', end - bytes)); bytes = stop + 1) {
		size_t line_len = stop - bytes;

		if (line_len && bytes[line_len - 1] == '\r')
			line_len--;
		if (is_skipped(bytes, line_len))
			continue;
		if (!has_two_counts(bytes, line_len))
			return 0;
		has_frames |= memchr(bytes, ';', line_len) != NULL;
		nr++;
	}
	return has_frames ? nr : 0;
}

/* Folded text has no mark of its own: whatever nobody else knows is read as such. */
static bool folded_detect(const char *bytes, size_t len)
{
	return true;
}

const struct reader folded_reader = { "folded", folded_detect, folded_read };
