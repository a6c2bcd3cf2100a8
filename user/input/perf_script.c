// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `perf script` text: samples as a header line, frames innermost first, an empty line; or, without
 * call chains, as one line each.  A record is gathered until something ends it and then becomes one
 * stack: the comm, and the frames turned round.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/lines.h"
#include "input/perf_line.h"
#include "input/reader.h"
#include "util/mem.h"
#include "util/strbuf.h"

struct script {
	struct reading *r;
	struct lines lines;

	bool in_record;	   /* a header was read and nothing has ended its record */
	bool is_counted;   /* it is a sample of the event that is read */
	bool tail_frame;   /* its only frame so far comes from the header line */
	bool needs_frames; /* its header says that frames or an empty line follow */
	uint64_t weight;
	frame_id comm;
	frame_id *frames; /* innermost first */
	size_t nr_frames, cap_frames;
	frame_id *stack; /* scratch: outermost first */
	node_id *nodes;
	size_t cap_stack;

	char *event; /* the one that is read; NULL: the first one will be */
	uint64_t nr_other;
	struct strbuf name;
};

static int fail(const struct script *s, int err, const char *what)
{
	diag_set(s->r->ret_diag, err, "%s:%" PRIu64 ": %s", s->r->name, s->lines.number, what);
	return -err;
}

static bool bytes_are(struct bytes b, const char *s)
{
	return b.len == strlen(s) && !memcmp(b.at, s, b.len);
}

/* ---- frames ------------------------------------------------------------------------------- */

static bool has_prefix(struct bytes b, const char *s)
{
	return b.len >= strlen(s) && !memcmp(b.at, s, strlen(s));
}

static bool has_suffix(struct bytes b, const char *s)
{
	return b.len >= strlen(s) && !memcmp(b.at + b.len - strlen(s), s, strlen(s));
}

/* Addresses tell kernel from user on every 64-bit machine; -F may have left them out. */
static enum frame_origin origin_of(const struct perf_frame *f)
{
	if (bytes_are(f->module, "inlined"))
		return FRAME_INLINED;
	if (has_prefix(f->module, "[kernel.") || has_prefix(f->module, "[guest.kernel."))
		return FRAME_KERNEL;
	if (f->addr >> 63 && !bytes_are(f->module, "[vsyscall]"))
		return FRAME_KERNEL;
	if (has_prefix(f->module, "[JIT]") ||
	    (has_prefix(f->module, "/tmp/perf-") && has_suffix(f->module, ".map")))
		return FRAME_JIT;
	return FRAME_USER;
}

/* The name that the rest of the program has for a module: a file's last component, [kernel]. */
static struct bytes module_name(struct bytes module, enum frame_origin origin)
{
	static const char deleted[] = " (deleted)", kernel[] = "[kernel]", jit[] = "[jit]";
	const char *slash;

	if (!module.len || bytes_are(module, "[unknown]") || origin == FRAME_INLINED)
		return (struct bytes){ "", 0 };
	if (has_prefix(module, "[kernel.") || has_prefix(module, "[guest.kernel."))
		return (struct bytes){ kernel, sizeof(kernel) - 1 };
	if (origin == FRAME_JIT)
		return (struct bytes){ jit, sizeof(jit) - 1 };
	if (has_suffix(module, deleted))
		module.len -= sizeof(deleted) - 1;
	slash = memrchr(module.at, '/', module.len);
	if (slash && slash + 1 < module.at + module.len)
		return (struct bytes){ slash + 1, module.at + module.len - slash - 1 };
	return module;
}

/* "[module+0xOFFSET]" in the way of symbol/: brackets are not doubled. */
static str_id unnamed(struct script *s, struct bytes module, uint64_t offset)
{
	if (module.len > 2 && module.at[0] == '[' && module.at[module.len - 1] == ']')
		module = (struct bytes){ module.at + 1, module.len - 2 };
	if (!module.len)
		module = (struct bytes){ "unknown", strlen("unknown") };
	strbuf_reset(&s->name);
	strbuf_addch(&s->name, '[');
	strbuf_add(&s->name, module.at, module.len);
	strbuf_addf(&s->name, "+0x%" PRIx64 "]", offset);
	return frame_table_intern(profile_frames(s->r->into), s->name.bytes, s->name.len);
}

static void push_frame(struct script *s, const struct perf_frame *from)
{
	struct frame_table *t = profile_frames(s->r->into);
	struct frame f = { .origin = origin_of(from) };
	struct bytes module = module_name(from->module, f.origin);

	f.module = frame_table_intern(t, module.at, module.len);
	if (from->symbol.len) {
		f.name = frame_table_intern(t, from->symbol.at, from->symbol.len);
	} else {
		f.start = from->has_module_offset ? from->module_offset : from->addr;
		f.name = unnamed(s, module, f.start);
		f.unnamed = true;
	}
	array_reserve(s->frames, s->cap_frames, s->nr_frames + 1);
	s->frames[s->nr_frames++] = frame_table_add(t, &f);
}

/* ---- records ------------------------------------------------------------------------------ */

static int end_record(struct script *s)
{
	size_t nr = s->nr_frames + 1;

	if (!s->in_record)
		return 0;
	s->in_record = false;
	if (!s->is_counted)
		return 0;
	if (nr > s->cap_stack) {
		s->cap_stack = array_capacity(s->cap_stack, nr);
		s->stack = xreallocarray(s->stack, s->cap_stack, sizeof(*s->stack));
		s->nodes = xreallocarray(s->nodes, s->cap_stack, sizeof(*s->nodes));
	}
	s->stack[0] = s->comm;
	for (size_t i = 1; i < nr; i++)
		s->stack[i] = s->frames[nr - 1 - i];
	profile_path(s->r->into, NODE_ROOT, s->stack, nr, s->nodes);
	if (profile_add(s->r->into, s->nodes[nr - 1], s->weight) < 0)
		return fail(s, EOVERFLOW, "the periods add up to more than 9223372036854775807");
	return reading_check_nodes(s->r, s->lines.number);
}

/* Is it the event that is read?  Without a wish that is the first one. */
static bool is_event(struct script *s, struct bytes event)
{
	size_t len;

	if (!event.len)
		return true;
	if (!s->event) {
		s->event = xmemdup0(event.at, event.len);
		return true;
	}
	len = strlen(s->event);
	if (!has_prefix(event, s->event))
		return false;
	if (event.len == len)
		return true;
	if (!s->r->opts.event || event.at[len] != ':')
		return false;
	for (size_t i = len + 1; i < event.len; i++)
		if (!strchr("ukhHGIpPSDWeb", event.at[i]))
			return false;
	return true;
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

static int begin_record(struct script *s, const struct perf_header *h)
{
	struct perf_frame frame;
	int r = end_record(s);

	if (r < 0)
		return r;
	s->nr_frames = 0;
	s->in_record = true;
	s->tail_frame = false;
	s->needs_frames = !h->is_record && !h->tail.len;
	s->is_counted = !h->is_record && is_event(s, h->event);
	if (!s->is_counted) {
		s->nr_other += !h->is_record;
		return 0;
	}
	strbuf_reset(&s->name);
	strbuf_add(&s->name, h->comm.at, h->comm.len);
	s->comm = frame_table_add_base(profile_frames(s->r->into), s->name.bytes);
	if (h->tail.len && perf_frame_parse(h->tail.at, h->tail.len, &frame)) {
		push_frame(s, &frame);
		s->tail_frame = true;
	}
	return parse_weight(s, h->period);
}

static int add_frame(struct script *s, const struct perf_frame *frame)
{
	/* What looked like the only frame was a tracepoint's field: here is the call chain. */
	if (s->tail_frame)
		s->nr_frames = 0;
	s->tail_frame = false;
	s->needs_frames = true;
	if (!s->is_counted)
		return 0;
	push_frame(s, frame);
	if (s->nr_frames > s->r->opts.max_nodes)
		return reading_too_many_nodes(s->r, s->lines.number);
	return 0;
}

static bool is_blank(const char *bytes, size_t len)
{
	while (len && (*bytes == ' ' || *bytes == '\t' || *bytes == '\r')) {
		bytes++;
		len--;
	}
	return !len;
}

static int read_line(struct script *s)
{
	const struct lines *l = &s->lines;
	struct perf_header header;
	struct perf_frame frame;

	if (l->is_cut)
		return fail(s, EINVAL, "perf script text is cut off in this line");
	if (is_blank(l->line, l->line_len))
		return end_record(s);
	if (s->in_record && *l->line == '\t' && perf_frame_parse(l->line, l->line_len, &frame))
		return add_frame(s, &frame);
	if (perf_header_parse(l->line, l->line_len, &header))
		return begin_record(s, &header);
	if (s->in_record && *l->line == ' ' && perf_frame_parse(l->line, l->line_len, &frame))
		return add_frame(s, &frame);
	/* Lines of `perf script --header`, and source lines of -F +srcline. */
	if (*l->line == '#' || (s->in_record && l->line_len > 2 && !memcmp(l->line, "  ", 2)))
		return 0;
	return fail(s, EINVAL,
		    s->in_record ? "neither a frame nor a sample of perf script"
				 : "not a sample of perf script (comm, pid, time, event)");
}

static void leave_remark(const struct script *s)
{
	if (s->nr_other && s->r->opts.ret_remark)
		diag_set(s->r->opts.ret_remark, EINVAL,
			 "%s: %" PRIu64 " samples of other events than %s are left out", s->r->name,
			 s->nr_other, s->event);
}

static int read_lines(struct script *s)
{
	int r;

	while ((r = lines_next(&s->lines)) > 0) {
		r = read_line(s);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	s->lines.number--; /* the last one that is there */
	if (s->in_record && s->needs_frames)
		return fail(s, EINVAL, "perf script text is cut off in this sample");
	return end_record(s);
}

static int perf_script_read(struct reading *r)
{
	struct script s = { .r = r, .name = STRBUF_INIT };
	int err;

	if (r->opts.event)
		s.event = xstrdup(r->opts.event);
	lines_init(&s.lines, r);
	err = read_lines(&s);
	if (!err)
		leave_remark(&s);
	lines_deinit(&s.lines);
	strbuf_deinit(&s.name);
	free(s.frames);
	free(s.stack);
	free(s.nodes);
	free(s.event);
	return err;
}

/*
 * The first line that is no comment decides.  Folded text ends a line with a count; a header
 * with a time or a CPU never is such a line by chance, one with an event alone could be: it has to
 * end with the event.
 */
static bool perf_script_detect(const char *bytes, size_t len)
{
	static const char begin[] = "# ========\n# captured on";
	const char *end = bytes + len;

	if (len >= sizeof(begin) - 1 && !memcmp(bytes, begin, sizeof(begin) - 1))
		return true;
	while (bytes < end) {
		const char *stop = memchr(bytes, '\n', end - bytes);
		struct perf_header h;

		if (!stop)
			stop = end;
		if (*bytes != '#' && !is_blank(bytes, stop - bytes))
			return perf_header_parse(bytes, stop - bytes, &h) &&
			       (h.has_time || h.has_cpu || !h.tail.len);
		bytes = stop + 1;
	}
	return false;
}

const struct reader perf_script_reader = { "perf script", perf_script_detect, perf_script_read };
