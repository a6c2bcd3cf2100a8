// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `perf script` text: samples as a header line, frames innermost first, an empty line; or, without
 * call chains, as one line each.  A record is gathered until something ends it and then becomes one
 * stack.  What a header holds was chosen by who printed it; the first sample shows which form it
 * is, and forms that any line could be (a comm alone) are taken only as long as frames follow.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/lines.h"
#include "input/perf_detect.h"
#include "input/perf_event_choice.h"
#include "input/perf_line.h"
#include "input/perf_stack.h"
#include "input/reader.h"
#include "util/mem.h"
#include "util/strbuf.h"

enum script_form {
	FORM_UNKNOWN, /* no sample yet */
	FORM_FULL,    /* headers that are headers by themselves */
	FORM_BARE,    /* headers that are such because frames follow, or no headers at all */
	FORM_SHORT,   /* a line a sample, without time and event */
};

struct script {
	struct reading *r;
	struct lines lines;
	struct perf_stack stack;
	struct perf_event_choice choice;
	enum script_form form;

	bool in_record;	       /* a header was read and nothing has ended its record */
	bool is_counted;       /* it is a sample that is read */
	bool is_sample;	       /* and not another kind of record */
	bool has_tail;	       /* its only frame so far comes from the header line */
	bool needs_frames;     /* its header says that frames or an empty line follow */
	bool has_frames;       /* a sample had frames in lines of their own */
	bool is_left_out;      /* the last line is cut, and what is left of it is not read */
	bool in_command;       /* behind the header's command, which may be of several lines */
	uint64_t command_line; /* the first that was skipped there; 0: none */
	uint64_t bare_line;    /* a bare header that no frame follows yet; 0: none */
	uint64_t weight;
};

static int fail_at(const struct script *s, uint64_t line, int err, const char *what)
{
	return diag_set(s->r->ret_diag, err, "%s:%" PRIu64 ": %s", s->r->name, line, what);
}

static int fail(const struct script *s, int err, const char *what)
{
	return fail_at(s, s->lines.number, err, what);
}

/* ---- records ------------------------------------------------------------------------------ */

static const char no_sample[] = "not a sample of perf script (comm, pid, time, event)";

static int end_record(struct script *s)
{
	if (!s->in_record)
		return 0;
	s->in_record = false;
	/* Without frames it is a sample where others have shown that such lines are headers. */
	if (s->bare_line && s->form != FORM_BARE)
		return fail_at(s, s->bare_line, EINVAL, no_sample);
	s->bare_line = 0;
	if (!s->is_counted)
		return 0;
	if (perf_stack_add(&s->stack, s->weight) < 0)
		return fail(s, EOVERFLOW, "the periods add up to more than 9223372036854775807");
	return reading_check_nodes(s->r, s->lines.number);
}

static int parse_weight(struct script *s, struct bytes period)
{
	uint64_t v = 0;

	if (!s->r->opts.by_period) {
		s->weight = 1;
		return 0;
	}
	if (!period.len)
		return fail(s, EINVAL, "the sample has no period");
	for (size_t i = 0; i < period.len; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, period.at[i] - '0', &v))
			return fail(s, EINVAL, "the period is larger than 18446744073709551615");
	s->weight = v;
	return 0;
}

static int begin_record(struct script *s, const struct perf_header *h, enum script_form form)
{
	struct perf_frame frame;
	const char *what;
	int r = end_record(s);

	if (r < 0)
		return r;
	s->in_record = true;
	s->has_tail = false;
	s->is_sample = !h->is_record;
	s->is_counted = false;
	s->needs_frames = s->is_sample && !h->tail.len;
	if (!s->is_sample)
		return 0;
	if (form == FORM_BARE)
		s->bare_line = s->lines.number;
	else
		s->form = form;
	r = perf_event_choice_takes(&s->choice, h, &what);
	if (r < 0)
		return fail(s, -r, what);
	s->is_counted = r;
	if (!r)
		return 0;
	perf_stack_begin(&s->stack, h);
	if (h->tail.len && perf_tail_parse(h->tail, &frame)) {
		perf_stack_push(&s->stack, &frame);
		s->has_tail = true;
	}
	return parse_weight(s, h->period);
}

static int add_frame(struct script *s, const struct perf_frame *frame)
{
	if (s->bare_line)
		s->form = FORM_BARE;
	s->bare_line = 0;
	s->has_frames = true;
	/* What looked like the only frame was a tracepoint's field: here is the call chain. */
	if (s->has_tail)
		perf_stack_drop_frames(&s->stack);
	s->has_tail = false;
	s->needs_frames = true;
	if (!s->is_counted)
		return 0;
	perf_stack_push(&s->stack, frame);
	return reading_check_more_nodes(s->r, s->lines.number, s->stack.nr);
}

/* A stack without a header line above it. */
static int begin_nameless(struct script *s, const struct perf_frame *frame)
{
	const struct perf_header none = { 0 };
	int r = begin_record(s, &none, FORM_BARE);

	return r < 0 ? r : add_frame(s, frame);
}

/* ---- lines -------------------------------------------------------------------------------- */

static bool is_indented(const struct lines *l)
{
	return *l->line == ' ' || *l->line == '\t';
}

/*
 * What stands between samples and is none: comments, lines that go on with a record, source lines
 * of -F +srcline, and what -F adds behind a stack, which no empty line follows.
 */
static bool is_no_sample(struct script *s, int *ret_err)
{
	static const char record[] = "PERF_RECORD_";
	const struct lines *l = &s->lines;

	*ret_err = 0;
	if (*l->line == '#')
		return true;
	if (perf_line_is_extra(l->line, l->line_len) && (s->in_record || s->form)) {
		*ret_err = end_record(s);
		return true;
	}
	if (l->line_len >= sizeof(record) - 1 && !memcmp(l->line, record, sizeof(record) - 1)) {
		*ret_err = end_record(s);
		return true;
	}
	return s->in_record && is_indented(l) &&
	       (!s->is_sample || (l->line_len > 2 && !memcmp(l->line, "  ", 2)));
}

/*
 * The header has the recorded command as it was, newlines too.  Until its next line begins with a #
 * only what is a sample by itself is one.
 */
static bool is_of_command(struct script *s)
{
	static const char begin[] = "# cmdline :";
	const struct lines *l = &s->lines;
	struct perf_header header;

	if (*l->line == '#') {
		s->in_command = s->form == FORM_UNKNOWN && l->line_len >= sizeof(begin) - 1 &&
				!memcmp(l->line, begin, sizeof(begin) - 1);
		s->command_line = 0;
	}
	if (!s->in_command || *l->line == '#')
		return false;
	if (perf_header_parse(l->line, l->line_len, &header)) {
		s->in_command = false;
		return false;
	}
	if (!s->command_line && !perf_line_is_blank(l->line, l->line_len))
		s->command_line = l->number;
	return true;
}

/* A line that is a header only by what follows it, or by what was before it. */
static int read_unsure(struct script *s)
{
	const struct lines *l = &s->lines;
	struct perf_header header;
	struct perf_frame frame;

	if (s->in_record)
		return fail(s, EINVAL, "neither a frame nor a sample of perf script");
	if (s->form != FORM_UNKNOWN && s->form != FORM_BARE)
		return fail(s, EINVAL, no_sample);
	if (is_indented(l) && !perf_line_is_period(l->line, l->line_len) &&
	    perf_frame_parse(l->line, l->line_len, &frame))
		return begin_nameless(s, &frame);
	if (perf_header_parse_bare(l->line, l->line_len, &header))
		return begin_record(s, &header, FORM_BARE);
	return fail(s, EINVAL, no_sample);
}

static int read_line(struct script *s)
{
	const struct lines *l = &s->lines;
	bool takes_frame = s->in_record && s->is_sample;
	struct perf_header header;
	struct perf_frame frame;
	int r;

	if (is_of_command(s))
		return 0;
	/* Before the first sample it is perf's own header, whatever it looks like (--header -I). */
	if (*l->line == '#' && s->form == FORM_UNKNOWN)
		return 0;
	if (perf_line_is_blank(l->line, l->line_len))
		return end_record(s);
	if (takes_frame && *l->line == '\t' && perf_frame_parse(l->line, l->line_len, &frame))
		return add_frame(s, &frame);
	if (perf_header_parse(l->line, l->line_len, &header))
		return begin_record(s, &header, FORM_FULL);
	if ((s->form == FORM_SHORT || (s->form == FORM_UNKNOWN && !s->in_record)) &&
	    *l->line != '\t' && perf_header_parse_short(l->line, l->line_len, &header))
		return begin_record(s, &header, FORM_SHORT);
	if (takes_frame && *l->line == ' ' && perf_frame_parse(l->line, l->line_len, &frame))
		return add_frame(s, &frame);
	if (is_no_sample(s, &r))
		return r;
	/* Frames whose blanks somebody took away. */
	if (takes_frame && perf_frame_parse(l->line, l->line_len, &frame) && frame.module.len)
		return add_frame(s, &frame);
	return read_unsure(s);
}

/*
 * The last line, without a newline.  Whole is only what says so: a frame with its module.  What is
 * left of another is left out, and told.
 */
static int read_cut_line(struct script *s)
{
	const struct lines *l = &s->lines;

	if (l->line_len && l->line[l->line_len - 1] == ')')
		return read_line(s);
	if (!s->in_record && perf_line_is_blank(l->line, l->line_len))
		return 0;
	s->is_left_out = true;
	return 0;
}

/* ---- the end ------------------------------------------------------------------------------ */

static void leave_remark(const struct script *s, bool is_open)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!s->r->opts.ret_remark)
		return;
	if (s->choice.nr_other) {
		strbuf_addf(&text, "%s: %" PRIu64 " samples of other events than %s are left out: ",
			    s->r->name, s->choice.nr_other, s->choice.event);
		perf_event_choice_print_others(&s->choice, &text);
		strbuf_addstr(&text, " (--event NAME chooses, --event all adds them up)");
	}
	if (is_open || s->is_left_out)
		strbuf_addf(&text, "%s%s:%" PRIu64 ": the text is cut off %s", text.len ? "; " : "",
			    s->r->name, s->lines.number,
			    !s->is_left_out ? "in this sample, which may lack frames"
			    : is_open	    ? "in this line; its sample may lack frames"
					    : "in this line, which is left out");
	if (text.len)
		diag_set(s->r->opts.ret_remark, EINVAL, "%s", text.bytes);
}

/* What the options ask for and no sample has. */
static int check_choice(const struct script *s)
{
	const char *need = perf_stack_need(&s->stack);
	const struct perf_event_choice *c = &s->choice;
	_cleanup_strbuf_ struct strbuf there = STRBUF_INIT;

	if (s->r->opts.event && !c->nr_read && c->nr_other) {
		perf_event_choice_print_others(c, &there);
		return diag_set(s->r->ret_diag, ENODATA, "%s: no samples of %s; there are %s",
				s->r->name, c->event, there.bytes);
	}
	if (!c->nr_read || s->stack.nr_unknown < c->nr_read)
		return 0;
	if (need)
		return diag_set(
			s->r->ret_diag, ENODATA,
			"%s: --root: the samples do not have it (perf script -F +%s prints it)",
			s->r->name, need);
	return diag_set(s->r->ret_diag, ENODATA, "%s: --root: perf script text does not have it",
			s->r->name);
}

static int read_lines(struct script *s)
{
	bool is_open;
	int r;

	while ((r = lines_next(&s->lines)) > 0) {
		r = s->lines.is_cut ? read_cut_line(s) : read_line(s);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	s->lines.number--; /* the last one that is there */
	if (s->in_command && s->command_line)
		return fail_at(s, s->command_line, EINVAL, no_sample);
	/* Where no sample has frames, none is missing: -F without ip. */
	is_open = s->in_record && s->needs_frames &&
		  (s->has_frames || s->choice.nr_read + s->choice.nr_other < 2);
	r = end_record(s);
	if (r >= 0)
		r = check_choice(s);
	if (r >= 0)
		leave_remark(s, is_open);
	return r;
}

static int perf_script_read(struct reading *r)
{
	struct script s = { .r = r };
	int err;

	perf_stack_init(&s.stack, r);
	perf_event_choice_init(&s.choice, &r->opts);
	lines_init(&s.lines, r);
	err = read_lines(&s);
	lines_deinit(&s.lines);
	perf_event_choice_deinit(&s.choice);
	perf_stack_deinit(&s.stack);
	return err;
}

const struct reader perf_script_reader = { "perf script", perf_script_detect, perf_script_read };
