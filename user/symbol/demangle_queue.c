// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of an owner go together: who has slow ones waits for them, and pays. */
#include "symbol/demangle_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/demangle_batch.h"
#include "symbol/minute_share.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/strbuf.h"

#define MAX_BATCH   256
#define PATIENCE_NS 300000000ull
#define MINUTE_NS   2000000000ull /* of a minute, for all names */

struct pending {
	frame_id frame;
	owner_id owner;
	uint32_t at, len; /* of its name, with the NUL */
};

struct demangle_queue {
	struct worker_pool *pool;
	worker_fn parse;
	int progress_fd; /* which name a parser is at; -1: none */
	struct pending *items;
	size_t nr, cap;
	struct strbuf names;
	struct minute_share time; /* in ns */
	struct limit_counts limits;
};

struct demangle_queue *demangle_queue_new(struct worker_pool *pool)
{
	struct demangle_queue *q = xcalloc(1, sizeof(*q));

	q->pool = pool;
	q->parse = demangle_batch_parse;
	q->progress_fd = -1;
	q->names = (struct strbuf)STRBUF_INIT;
	return q;
}

void demangle_queue_free(struct demangle_queue *q)
{
	if (!q)
		return;
	if (q->progress_fd >= 0)
		close(q->progress_fd);
	minute_share_deinit(&q->time);
	strbuf_deinit(&q->names);
	free(q->items);
	free(q);
}

void demangle_queue_set_parser(struct demangle_queue *q, worker_fn parse)
{
	q->parse = parse;
}

bool demangle_queue_add(struct demangle_queue *q, owner_id owner, const char *name, frame_id frame)
{
	const struct pending p = { frame, owner, q->names.len, strlen(name) + 1 };

	strbuf_add(&q->names, name, p.len);
	array_reserve(q->items, q->cap, q->nr + 1);
	q->items[q->nr++] = p;
	return q->names.len >= DEMANGLE_BATCH_BYTES - DEMANGLE_BATCH_BYTES / 8;
}

/* ---- a batch ------------------------------------------------------------------------------ */

struct batch {
	struct demangle_queue *q;
	demangle_queue_fn fn;
	void *ctx;
	struct pending items[MAX_BATCH];
	size_t nr;
	struct strbuf names;
};

static void names_gather(struct batch *b)
{
	strbuf_reset(&b->names);
	for (size_t i = 0; i < b->nr; i++)
		strbuf_add(&b->names, b->q->names.bytes + b->items[i].at, b->items[i].len);
}

/* The first nr are done with. */
static void items_drop(struct batch *b, size_t first, size_t nr)
{
	memmove(b->items + first, b->items + first + nr,
		(b->nr - first - nr) * sizeof(b->items[0]));
	b->nr -= nr;
}

static void stay_mangled(struct batch *b, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++)
		b->fn(b->ctx, b->items[i].frame, NULL, 0);
	b->q->limits.nr[LIMIT_MANGLED] += nr;
	items_drop(b, first, nr);
}

static void answer_take(struct batch *b, const struct worker_answer *answer)
{
	struct demangled names[MAX_BATCH];
	int nr = demangle_batch_of(answer, names, b->nr);

	if (nr < 0) {
		b->q->limits.nr[LIMIT_PARSERS]++;
		stay_mangled(b, 0, b->nr);
		return;
	}
	for (int i = 0; i < nr; i++)
		b->fn(b->ctx, b->items[i].frame, names[i].name, names[i].len);
	items_drop(b, 0, nr);
}

/* The parser has died of a name: of that at which it was. */
static void parser_died(struct batch *b)
{
	uint32_t at;

	b->q->limits.nr[LIMIT_PARSERS]++;
	if (pread(b->q->progress_fd, &at, sizeof(at), 0) == sizeof(at) && at < b->nr)
		stay_mangled(b, at, 1);
	else
		stay_mangled(b, 0, b->nr);
}

static void progress_begin(struct demangle_queue *q)
{
	const uint32_t nowhere = UINT32_MAX;

	if (q->progress_fd < 0)
		q->progress_fd = memfd_create("eddy-progress", MFD_CLOEXEC);
	if (q->progress_fd >= 0 &&
	    pwrite(q->progress_fd, &nowhere, sizeof(nowhere), 0) != sizeof(nowhere))
		close(take_fd(&q->progress_fd));
}

/* Asks once; fewer are left afterwards. */
static void batch_ask(struct batch *b)
{
	_cleanup_worker_answer_ struct worker_answer answer = { .fd = -1 };
	const owner_id owner = b->items[0].owner;
	const struct worker_account account = { .owner = owner, .patience_ns = PATIENCE_NS };
	const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
	struct worker_request request = { .fds = { -1, -1 } };
	int r;

	if (!minute_share_bound(&b->q->time, owner, UINT64_MAX, MINUTE_NS, begun_ns / 1000000)) {
		stay_mangled(b, 0, b->nr);
		return;
	}
	names_gather(b);
	progress_begin(b->q);
	request.bytes = b->names.bytes;
	request.len = b->names.len;
	request.fds[0] = b->q->progress_fd;
	r = worker_pool_parse_for(b->q->pool, &account, b->q->parse, &request, &answer);
	if (!r && !worker_answer_error(&answer)) {
		answer_take(b, &answer);
		minute_share_note(&b->q->time, owner, answer.cpu_ns);
		return;
	}
	minute_share_note(&b->q->time, owner, clock_ns(CLOCK_MONOTONIC) - begun_ns);
	if (!r) {
		parser_died(b);
		return;
	}
	/* It may still write there. */
	if (b->q->progress_fd >= 0)
		close(take_fd(&b->q->progress_fd));
	stay_mangled(b, 0, b->nr);
}

/* Takes those of the first one's owner out of the queue, as many as go together. */
static void batch_take(struct batch *b)
{
	struct demangle_queue *q = b->q;
	size_t left = 0, bytes = 0;

	b->nr = 0;
	for (size_t i = 0; i < q->nr; i++) {
		const struct pending p = q->items[i];

		if (b->nr == MAX_BATCH || bytes + p.len > DEMANGLE_BATCH_BYTES ||
		    (b->nr && p.owner != b->items[0].owner)) {
			q->items[left++] = p;
			continue;
		}
		bytes += p.len;
		b->items[b->nr++] = p;
	}
	q->nr = left;
}

void demangle_queue_run(struct demangle_queue *q, demangle_queue_fn fn, void *ctx)
{
	struct batch b = { .q = q, .fn = fn, .ctx = ctx, .names = STRBUF_INIT };

	while (q->nr) {
		batch_take(&b);
		while (b.nr)
			batch_ask(&b);
	}
	strbuf_reset(&q->names);
	strbuf_deinit(&b.names);
}

void demangle_queue_add_limits(const struct demangle_queue *q, struct limit_counts *to)
{
	limit_counts_add(to, &q->limits);
}

size_t demangle_queue_bytes(const struct demangle_queue *q)
{
	return sizeof(*q) + q->cap * sizeof(*q->items) + q->names.cap;
}
