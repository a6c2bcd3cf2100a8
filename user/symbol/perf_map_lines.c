// SPDX-License-Identifier: GPL-2.0-or-later
/* The answer is a head; its file: symbols | names. */
#include "symbol/perf_map_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "symbol/jit_dump_read.h"
#include "symbol/jit_reader.h"
#include "util/cleanup.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/strbuf.h"
#include "util/worker_parser.h"

#define READ_BYTES  (256u << 10)
#define STEP_BYTES  (4u << 20) /* of the file, for one answer */
#define STAMP_BYTES 4096

/* ---- in a parser -------------------------------------------------------------------------- */

/* A hex number, with or without "0x", and the blank behind it. */
static bool eat_hex(const char **s, const char *end, uint64_t *ret)
{
	const char *p = *s, *first;
	uint64_t v = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (first = p; p < end && *p != ' ' && *p != '\t'; p++) {
		char c = *p | 0x20;

		if (v >> 60)
			return false;
		if (c >= '0' && c <= '9')
			v = v << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (c - 'a' + 10);
		else
			return false;
	}
	if (p == first || p == end)
		return false;
	*s = p + 1;
	*ret = v;
	return true;
}

/* False: there is no room for that line, "START SIZE NAME". */
static bool add_line(struct jit_reader *r, const char *s, size_t len)
{
	const char *end = s + len;
	struct jit_symbol symbol = { 0 };

	if (!eat_hex(&s, end, &symbol.start) || !eat_hex(&s, end, &symbol.size))
		return true;
	return jit_reader_add(r, symbol, s, end - s);
}

/* Whole lines; how many bytes these were. */
static size_t eat_lines(struct jit_reader *r, const char *buf, size_t len)
{
	const char *p = buf, *nl;

	while ((nl = memchr(p, '\n', buf + len - p))) {
		if (!add_line(r, p, nl - p))
			break;
		p = nl + 1;
	}
	return p - buf;
}

static int read_lines(struct jit_reader *r, int fd)
{
	_cleanup_free_ char *buf = xmalloc(READ_BYTES);
	struct jit_head *h = &r->head;

	h->to = h->from;
	while (!h->is_full && !h->is_end && h->to - h->from < STEP_BYTES) {
		ssize_t n = jit_read_at(fd, buf, READ_BYTES, h->to);
		size_t eaten;

		if (n < 0)
			return (int)n;
		eaten = eat_lines(r, buf, n);
		h->is_end = n < READ_BYTES && !h->is_full;
		if (!eaten && n == READ_BYTES && !h->is_full)
			eaten = n; /* no line is that long */
		h->to += eaten;
		h->is_full |= !h->is_end && h->to >= PERF_MAP_MAX_FILE;
	}
	return 0;
}

/* Of what stands before there.  Who writes a file anew seldom writes the same there. */
static uint64_t stamp_of(int fd, uint64_t at)
{
	char buf[STAMP_BYTES];
	size_t len = at < sizeof(buf) ? at : sizeof(buf);

	return jit_read_at(fd, buf, len, at - len) == (ssize_t)len ? hash_bytes(buf, len) : 0;
}

int jit_symbol_compare(const void *a, const void *b)
{
	const struct jit_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static void give(struct jit_reader *r, struct worker_answer *answer)
{
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;

	if (r->head.nr) {
		qsort(r->symbols, r->head.nr, sizeof(*r->symbols), jit_symbol_compare);
		strbuf_add(&all, r->symbols, r->head.nr * sizeof(*r->symbols));
		strbuf_add(&all, r->names.bytes, r->names.len);
		parsed_give(all.bytes, all.len, answer);
	}
	answer->bytes = xmemdup0(&r->head, sizeof(r->head));
	answer->len = sizeof(r->head);
}

static void parse(const struct worker_request *request, struct worker_answer *answer)
{
	struct perf_map_ask ask;
	struct jit_reader r = { .ask = &ask, .names = STRBUF_INIT };
	const int fd = request->fds[0];

	memcpy(&ask, request->bytes, sizeof(ask));
	if (ask.from && stamp_of(fd, ask.from) == ask.stamp)
		r.head.from = ask.from;
	answer->status = ask.is_dump ? jit_dump_read(&r, fd) : read_lines(&r, fd);
	r.head.stamp = stamp_of(fd, r.head.to);
	if (!answer->status)
		give(&r, answer);
	strbuf_deinit(&r.names);
	free(r.symbols);
}

/* ---- in a worker -------------------------------------------------------------------------- */

void perf_map_job(const struct worker_request *request, struct worker_answer *answer)
{
	worker_parse_files(request, parse, answer);
}

/* ---- in the program ----------------------------------------------------------------------- */

static bool symbols_are_sound(const struct perf_map_lines *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		const struct jit_symbol *s = &l->symbols[i];

		if (!s->size || s->start > UINT64_MAX - s->size || !s->len ||
		    s->len > PERF_MAP_MAX_NAME || s->name > l->names_len ||
		    s->len > l->names_len - s->name)
			return false;
		if (s->is_move && s->len != sizeof(uint64_t))
			return false;
		if (i && jit_symbol_compare(s - 1, s) >= 0)
			return false;
	}
	return true;
}

/* How far it may have come, and how far at once. */
static bool bounds_are_sound(const struct jit_head *h, const struct perf_map_ask *ask)
{
	if ((h->from && h->from != ask->from) || h->to < h->from)
		return false;
	if (ask->is_dump) /* the last record may reach further */
		return h->to <= JIT_DUMP_MAX_FILE + UINT32_MAX;
	return h->to <= PERF_MAP_MAX_FILE + READ_BYTES &&
	       h->to - h->from <= STEP_BYTES + READ_BYTES;
}

int perf_map_lines_check(const struct worker_answer *answer, const void *bytes, size_t len,
			 const struct perf_map_ask *ask, struct perf_map_lines *ret_lines)
{
	struct perf_map_lines l = { .symbols = bytes };
	struct jit_head h;

	if (answer->len != sizeof(h))
		return -EPIPE;
	memcpy(&h, answer->bytes, sizeof(h));
	if (!bounds_are_sound(&h, ask) || len > ask->max_bytes || h.nr > len / sizeof(*l.symbols))
		return -EPIPE;
	l.from = h.from;
	l.to = h.to;
	l.stamp = h.stamp;
	l.is_full = h.is_full;
	l.is_end = h.is_end;
	l.nr = h.nr;
	l.names_len = len - l.nr * sizeof(*l.symbols);
	l.names = len ? (const char *)(l.symbols + l.nr) : "";
	/* Else there would be no end of asking. */
	if ((l.to == l.from && !l.is_full && !l.is_end) || !symbols_are_sound(&l))
		return -EPIPE;
	*ret_lines = l;
	return 0;
}

int perf_map_lines_of(const struct worker_answer *answer, const struct perf_map_ask *ask,
		      struct perf_map_lines *ret_lines)
{
	size_t len = 0;
	const void *bytes = parsed_map(answer, &len);
	int r = perf_map_lines_check(answer, bytes, len, ask, ret_lines);

	if (r < 0) {
		if (bytes)
			munmap((void *)bytes, len);
		return r;
	}
	ret_lines->mapped = (void *)bytes;
	ret_lines->mapped_bytes = len;
	return 0;
}

void perf_map_lines_deinit(struct perf_map_lines *lines)
{
	if (lines->mapped)
		munmap(lines->mapped, lines->mapped_bytes);
	*lines = (struct perf_map_lines){ 0 };
}
