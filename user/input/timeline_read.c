// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines in a fixed order: a head of numbers by name, then a line a slot. */
#include "input/timeline_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/lines.h"
#include "input/reader.h"
#include "util/mem.h"

/* TIMELINE_MAX_CELLS of 31 bytes, " LINE*COUNT" at their longest, and their slots, are less. */
#define MAX_BYTES ((uint64_t)1 << 30)

struct reading_times {
	struct lines lines;
	const char *at, *end; /* what is left of a line */
	struct reading reading;
	struct timeline_file file;
	int64_t slot; /* of the line before */
};

static int fail(const struct reading_times *r, const char *what)
{
	return diag_set(r->reading.ret_diag, EINVAL, "%s:%llu: %s", r->reading.name,
			(unsigned long long)r->lines.number, what);
}

static int next_line(struct reading_times *r)
{
	int more = lines_next(&r->lines);

	if (more > 0 && r->lines.is_cut)
		return fail(r, "the last line has no end");
	r->at = r->lines.line;
	r->end = r->at + r->lines.line_len;
	return more;
}

/* Digits, to what stands behind them. */
static bool take_number(struct reading_times *r, uint64_t max, uint64_t *ret_value)
{
	const char *from = r->at;
	uint64_t value = 0;

	for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*r->at - '0'), &value))
			return false;
	*ret_value = value;
	return r->at > from && value <= max;
}

static bool take_text(struct reading_times *r, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, text, len))
		return false;
	r->at += len;
	return true;
}

static int read_head_line(struct reading_times *r, const char *name, uint64_t max, uint64_t *value)
{
	int more = next_line(r);

	if (more < 0)
		return more;
	if (!more || !take_text(r, name) || !take_text(r, " ") || !take_number(r, max, value) ||
	    r->at != r->end)
		return diag_set(r->reading.ret_diag, EINVAL, "%s:%llu: no '%s' with its number",
				r->reading.name, (unsigned long long)r->lines.number, name);
	return 0;
}

static int read_head(struct reading_times *r, struct timeline *t, uint64_t *ret_timed)
{
	uint64_t slots = 0;
	const struct {
		const char *name;
		uint64_t max, *value;
	} head[] = {
		{ "slot_ns", INT64_MAX, &t->slot_ns },
		{ "asked_ns", INT64_MAX, &t->asked_ns },
		{ "start_ms", INT64_MAX / 1000000, &t->start_ms }, /* formats want it in ns */
		{ "slots", TIMELINE_MAX_SLOTS, &slots },
		{ "lines", UINT32_MAX - 1, &r->file.nr_lines },
		{ "total", INT64_MAX, &r->file.total },
		{ "timed", INT64_MAX, ret_timed },
		{ "untimed", INT64_MAX, &t->untimed },
	};
	int more = next_line(r);

	if (more < 0)
		return more;
	if (!more || !take_text(r, "eddy timeline 1") || r->at != r->end)
		return fail(r, "not a timeline of this version");
	for (size_t i = 0; i < ARRAY_SIZE(head); i++) {
		int e = read_head_line(r, head[i].name, head[i].max, head[i].value);

		if (e < 0)
			return e;
	}
	if (!timeline_can_have(t->slot_ns) || !timeline_can_have(t->asked_ns))
		return fail(r, "slots are a part of a second, or whole seconds");
	t->nr_slots = slots;
	return 0;
}

/* " 17" or " 17*2" */
static int read_cell(struct reading_times *r, struct timeline *t, struct timeline_cell *before)
{
	struct timeline_cell cell = { .slot = before->slot, .weight = 1 };
	uint64_t line;

	if (!take_text(r, " ") || !take_number(r, r->file.nr_lines, &line) || line <= before->node)
		return fail(r, "no line of the text, or not in order");
	if (take_text(r, "*") && (!take_number(r, INT64_MAX, &cell.weight) || !cell.weight))
		return fail(r, "no count");
	if (cell.weight > INT64_MAX - t->weight)
		return fail(r, "the counts add up to more than 9223372036854775807");
	if (t->nr >= TIMELINE_MAX_CELLS)
		return diag_set(r->reading.ret_diag, E2BIG,
				"%s:%llu: more than %zu stacks in slots", r->reading.name,
				(unsigned long long)r->lines.number, TIMELINE_MAX_CELLS);
	cell.node = line;
	timeline_add_cell(t, &cell);
	*before = cell;
	return 0;
}

static int read_slot(struct reading_times *r, struct timeline *t)
{
	struct timeline_cell before = { 0 };
	uint64_t slot;

	if (!take_number(r, TIMELINE_MAX_SLOTS, &slot) || slot >= t->nr_slots ||
	    (int64_t)slot <= r->slot)
		return fail(r, "no slot, or not in order");
	if (r->at == r->end)
		return fail(r, "a slot without a stack");
	r->slot = (int64_t)slot;
	before.slot = slot;
	while (r->at < r->end) {
		int e = read_cell(r, t, &before);

		if (e < 0)
			return e;
	}
	return 0;
}

static int read_all(struct reading_times *r)
{
	struct timeline *t = r->file.timeline;
	uint64_t timed = 0;
	int more = read_head(r, t, &timed);

	if (more < 0)
		return more;
	while ((more = next_line(r)) > 0) {
		int e = read_slot(r, t);

		if (e < 0)
			return e;
	}
	if (more < 0)
		return more;
	return t->weight == timed ? 0 : fail(r, "the counts are not as many as 'timed' says");
}

int timeline_read(FILE *f, const char *name, struct timeline_file *ret_file, struct diag *ret_diag)
{
	_cleanup_(source_freep) struct source *source = NULL;
	struct reading_times r = { .reading = { .name = name, .ret_diag = ret_diag }, .slot = -1 };
	int e = source_new(f, name, MAX_BYTES, &source, ret_diag);

	if (e < 0)
		return e;
	r.reading.source = source;
	r.file.timeline = timeline_new(TIMELINE_DEFAULT_NS, 0, TIMELINE_MAX_CELLS + 1);
	lines_init(&r.lines, &r.reading);
	e = read_all(&r);
	lines_deinit(&r.lines);
	if (e < 0) {
		timeline_free(r.file.timeline);
		return e;
	}
	*ret_file = r.file;
	return 0;
}

int timeline_use_lines(struct timeline_file *file, const struct input_lines *lines,
		       const struct profile *p, const char *name, struct diag *ret_diag)
{
	struct timeline *t = file->timeline;
	_cleanup_free_ uint64_t *sums = xcalloc(profile_nr_nodes(p), sizeof(*sums));
	bool fits = file->nr_lines == lines->nr && file->total == profile_total(p);

	for (size_t i = 0; fits && i < t->nr; i++) {
		struct timeline_cell *c = &t->cells[i];

		c->node = lines->nodes[c->node - 1];
		fits = c->node != NODE_DROP;
		if (fits)
			sums[c->node] += c->weight;
	}
	/* Not more: a sample has one time at most.  Less: some have none (untimed). */
	for (node_id n = 0; fits && n < profile_nr_nodes(p); n++)
		fits = sums[n] <= profile_self(p, n);
	return fits ? 0
		    : diag_set(ret_diag, EINVAL, "%s is not of this text: it has other stacks",
			       name);
}
