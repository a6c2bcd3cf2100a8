// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An index of a perf map, sorted by address, and its names.  Only the lines that are new since the
 * last look are parsed and sorted, by a parser (perf_map_lines.h), then merged into the rest, so a
 * compiler that keeps writing costs what it writes.
 */
#include "symbol/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/perf_map_lines.h"
#include "symbol/process_identity.h"
#include "util/clock.h"
#include "util/far_file.h"
#include "util/mem.h"

#define MAX_WALK   256 /* entries before an address that may enclose it */
#define MAX_MOVES  16  /* that are followed back */
#define REFRESH_NS 200000000ull

struct perf_map {
	struct worker_pool *pool;
	struct worker_key key;
	int fd;
	uint64_t read_bytes; /* of the file, up to the end of a line */
	uint64_t stamp;	     /* of what was read last */
	uint32_t uid;
	bool is_dump, is_cut, has_changed;
	struct jit_symbol *symbols;
	size_t nr, cap;
	struct strbuf names;
};

struct perf_map *perf_map_new_by(struct worker_pool *pool, int fd)
{
	struct perf_map *m = xcalloc(1, sizeof(*m));

	m->pool = pool;
	m->fd = fd;
	m->names = (struct strbuf)STRBUF_INIT;
	return m;
}

struct perf_map *perf_map_new(int fd)
{
	return perf_map_new_by(NULL, fd);
}

struct perf_map *perf_map_new_dump(struct worker_pool *pool, const struct worker_key *key, int fd,
				   uint32_t uid)
{
	struct perf_map *m = perf_map_new_by(pool, fd);

	m->key = *key;
	m->uid = uid;
	m->is_dump = true;
	return m;
}

int perf_map_open(struct worker_pool *pool, const char *root, pid_t pid, struct perf_map **ret_map)
{
	const struct worker_key key = far_process(pid);
	_cleanup_free_ char *process_root = NULL, *path = NULL;
	_cleanup_close_ int fd = -1;
	struct process_identity id = { 0 };
	struct far_stat st = { 0 };
	int r = process_identity_read(root, pid, &id);

	if (r < 0)
		return r;
	process_root = xasprintf("%s/proc/%d/root", root, (int)pid);
	path = xasprintf("/tmp/perf-%d.map", id.pid);
	fd = far_open_regular(pool, &key, &(struct far_path){ process_root, path }, &st);
	if (fd < 0)
		return fd;
	if (st.uid != id.uid && (st.uid || !st.is_public))
		return -EPERM;
	*ret_map = perf_map_new_by(pool, take_fd(&fd));
	(*ret_map)->key = key;
	(*ret_map)->uid = st.uid;
	return 0;
}

void perf_map_free(struct perf_map *m)
{
	if (!m)
		return;
	close(m->fd);
	free(m->symbols);
	strbuf_deinit(&m->names);
	free(m);
}

/* Puts sorted symbols, whose names stand from `names` on, into the index. */
static void merge(struct perf_map *m, const struct jit_symbol *fresh, size_t nr_new, uint32_t names)
{
	size_t i = m->nr, k = nr_new, out = m->nr + nr_new;

	array_reserve(m->symbols, m->cap, out);
	m->nr = out;
	while (k) {
		struct jit_symbol s = fresh[k - 1];

		s.name += names;
		if (i && jit_symbol_compare(&m->symbols[i - 1], &s) > 0)
			m->symbols[--out] = m->symbols[--i];
		else
			m->symbols[--out] = s, k--;
	}
}

static void lines_take(struct perf_map *m, const struct perf_map_lines *l)
{
	if (l->from < m->read_bytes) {
		m->has_changed = true;
		m->nr = 0;
		strbuf_reset(&m->names);
	}
	merge(m, l->symbols, l->nr, m->names.len);
	strbuf_add(&m->names, l->names, l->names_len);
	m->read_bytes = l->to;
	m->stamp = l->stamp;
	m->is_cut = l->is_full;
	m->has_changed |= l->nr > 0;
}

/* The next lines; 1: perhaps there are more, 0: there are none, or -errno. */
static int read_lines(struct perf_map *m, uint64_t max_bytes)
{
	const uint64_t held = perf_map_held(m);
	const struct perf_map_ask ask = { .from = m->read_bytes,
					  .stamp = m->stamp,
					  .max_bytes = held < max_bytes ? max_bytes - held : 0,
					  .is_dump = m->is_dump };
	const int fds[2] = { m->fd, -1 };
	const struct worker_job job = {
		.fn = perf_map_job, .key = m->key, .bytes = &ask, .len = sizeof(ask), .fds = fds
	};
	_cleanup_worker_answer_ struct worker_answer answer = { .fd = -1 };
	struct perf_map_lines lines;
	int r = worker_pool_run(m->pool, &job, &answer);

	r = r < 0 ? r : worker_answer_error(&answer);
	r = r < 0 ? r : perf_map_lines_of(&answer, &ask, &lines);
	if (r < 0)
		return r;
	lines_take(m, &lines);
	r = !lines.is_end && !lines.is_full;
	perf_map_lines_deinit(&lines);
	return r;
}

int perf_map_refresh(struct perf_map *m, uint64_t max_bytes)
{
	const uint64_t until = clock_ns(CLOCK_MONOTONIC) + REFRESH_NS;
	int r;

	if (max_bytes > PERF_MAP_MAX_BYTES)
		max_bytes = PERF_MAP_MAX_BYTES;
	m->has_changed = false;
	do
		r = read_lines(m, max_bytes);
	while (r > 0 && clock_ns(CLOCK_MONOTONIC) < until);
	if (r > 0) /* the time is over */
		m->is_cut = true;
	if (m->has_changed)
		return 1;
	return r < 0 ? r : 0;
}

/* Up to when code has come, and which line was the last then. */
struct moment {
	uint64_t time_ns;
	uint64_t name;
};

/* Has it come by then? */
static bool is_by(const struct jit_symbol *s, const struct moment *when)
{
	return s->time_ns <= when->time_ns && s->name < when->name;
}

static bool is_later(const struct jit_symbol *a, const struct jit_symbol *b)
{
	return a->time_ns != b->time_ns ? a->time_ns > b->time_ns : a->name > b->name;
}

struct covering {
	const struct jit_symbol *last; /* of those that had come by then; NULL: none */
	const struct jit_symbol *next; /* the first of the others; NULL: none */
};

static void cover(struct covering *c, const struct jit_symbol *s, const struct moment *when)
{
	if (is_by(s, when)) {
		if (!c->last || is_later(s, c->last))
			c->last = s;
	} else if (!c->next || is_later(c->next, s)) {
		c->next = s;
	}
}

static struct covering find(const struct perf_map *m, uint64_t addr, const struct moment *when)
{
	struct covering c = { 0 };
	size_t lo = 0, hi = m->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->symbols[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t seen = 0; lo-- > 0 && seen < MAX_WALK; seen++) {
		const struct jit_symbol *s = &m->symbols[lo];

		if (addr - s->start < s->size)
			cover(&c, s, when);
	}
	if (!c.last && lo != SIZE_MAX) /* more stand there than are looked at: nobody knows */
		c.next = NULL;
	return c;
}

/* Where the address was before code was moved there, by the line that says so. */
static uint64_t address_before(const struct perf_map *m, const struct jit_symbol *move,
			       uint64_t addr)
{
	uint64_t old_start;

	memcpy(&old_start, m->names.bytes + move->name, sizeof(old_start));
	return old_start + (addr - move->start);
}

int perf_map_name(const struct perf_map *m, uint64_t addr, uint64_t time_ns, struct strbuf *to)
{
	struct moment when = { time_ns ? time_ns : UINT64_MAX, UINT64_MAX };
	struct covering c = find(m, addr, &when);
	const bool has_next = c.next;

	if (!c.last)
		c.last = c.next;
	for (int i = 0; c.last && c.last->is_move && i < MAX_MOVES; i++) {
		addr = address_before(m, c.last, addr);
		when = (struct moment){ c.last->time_ns, c.last->name };
		c = find(m, addr, &when);
	}
	if (!c.last || c.last->is_move)
		return -ENOENT;
	strbuf_add(to, m->names.bytes + c.last->name, c.last->len);
	return has_next;
}

uint32_t perf_map_uid(const struct perf_map *m)
{
	return m->uid;
}

bool perf_map_is_cut(const struct perf_map *m)
{
	return m->is_cut;
}

size_t perf_map_nr(const struct perf_map *m)
{
	return m->nr;
}

uint64_t perf_map_held(const struct perf_map *m)
{
	return m->nr * sizeof(*m->symbols) + m->names.len;
}

size_t perf_map_bytes(const struct perf_map *m)
{
	return sizeof(*m) + m->cap * sizeof(*m->symbols) + m->names.cap;
}
