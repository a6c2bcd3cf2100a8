// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An index of a perf map: 24 bytes a line, sorted by address; names stay in the file.  Only the
 * lines that are new since the last look are parsed and sorted, then merged into the rest, so a
 * compiler that keeps writing costs what it writes.
 */
#include "symbol/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/mapped_file.h"
#include "util/mem.h"

#define MAX_FILE_BYTES (64 << 20)
#define MAX_LINE_BYTES 4096
#define READ_BYTES     (64 << 10)
#define MAX_WALK       256 /* entries before an address that may enclose it */

struct jit_symbol {
	uint64_t start, size;
	uint64_t offset; /* of the line in the file */
};

struct perf_map {
	int fd;
	uint64_t read_bytes; /* of the file, up to the end of a line */
	struct jit_symbol *symbols;
	size_t nr, cap;
};

/* The fields of /proc/PID/status that matter; both are the process's own view of itself. */
struct identity {
	unsigned int uid;
	int pid; /* in its own PID namespace */
};

static int read_identity(const char *root, pid_t pid, struct identity *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%d/status", root, (int)pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	struct identity id = { .pid = pid };
	char line[512];
	bool has_uid = false;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "Uid:", 4))
			has_uid = sscanf(line, "Uid: %*u %u", &id.uid) == 1;
		if (!strncmp(line, "NSpid:", 6)) {
			char *last = strrchr(line, '\t');

			id.pid = last ? atoi(last + 1) : pid;
		}
	}
	if (!has_uid)
		return -ESRCH;
	*ret = id;
	return 0;
}

struct perf_map *perf_map_new(int fd)
{
	struct perf_map *m = xcalloc(1, sizeof(*m));

	m->fd = fd;
	return m;
}

int perf_map_open(const char *root, pid_t pid, struct perf_map **ret_map)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	struct identity id = { 0 };
	struct stat st;
	int r = read_identity(root, pid, &id);

	if (r < 0)
		return r;
	path = xasprintf("%s/proc/%d/root/tmp/perf-%d.map", root, (int)pid, id.pid);
	fd = open_regular(path, O_NOFOLLOW, 0, 0);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_uid != id.uid && st.st_uid != 0)
		return -EPERM;
	*ret_map = perf_map_new(take_fd(&fd));
	return 0;
}

void perf_map_free(struct perf_map *m)
{
	if (!m)
		return;
	close(m->fd);
	free(m->symbols);
	free(m);
}

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

/* "START SIZE NAME": *ret_name stands in s. */
static bool line_parse(const char *s, size_t len, struct jit_symbol *ret, const char **ret_name)
{
	const char *end = s + len;

	if (!eat_hex(&s, end, &ret->start) || !eat_hex(&s, end, &ret->size) || s == end)
		return false;
	*ret_name = s;
	return ret->size && ret->start <= UINT64_MAX - ret->size;
}

/* Parses whole lines, of which the first one stands at `offset` of the file. */
static size_t eat_lines(struct perf_map *m, const char *buf, size_t len, uint64_t offset,
			size_t max_symbols)
{
	const char *p = buf, *nl;

	while ((nl = memchr(p, '\n', buf + len - p))) {
		struct jit_symbol s;
		const char *name;

		if (m->nr < max_symbols && line_parse(p, nl - p, &s, &name)) {
			s.offset = offset + (p - buf);
			array_reserve(m->symbols, m->cap, m->nr + 1);
			m->symbols[m->nr++] = s;
		}
		p = nl + 1;
	}
	return p - buf;
}

static int read_lines(struct perf_map *m, size_t max_symbols)
{
	_cleanup_free_ char *buf = xmalloc(READ_BYTES);

	while (m->read_bytes < MAX_FILE_BYTES) {
		ssize_t n = pread(m->fd, buf, READ_BYTES, m->read_bytes);
		size_t eaten;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		eaten = eat_lines(m, buf, n, m->read_bytes, max_symbols);
		if (!eaten && n == READ_BYTES)
			eaten = n; /* no line is that long */
		if (!eaten)
			return 0;
		m->read_bytes += eaten;
	}
	return 0;
}

static int jit_compare(const void *a, const void *b)
{
	const struct jit_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* symbols[0, nr_old) and symbols[nr_old, nr) are sorted: the whole is afterwards. */
static void merge(struct perf_map *m, size_t nr_old)
{
	size_t nr_new = m->nr - nr_old, out = m->nr, i = nr_old, k = nr_new;
	_cleanup_free_ struct jit_symbol *fresh = xreallocarray(NULL, nr_new, sizeof(*fresh));

	memcpy(fresh, m->symbols + nr_old, nr_new * sizeof(*fresh));
	while (k) {
		if (i && jit_compare(&m->symbols[i - 1], &fresh[k - 1]) > 0)
			m->symbols[--out] = m->symbols[--i];
		else
			m->symbols[--out] = fresh[--k];
	}
}

int perf_map_refresh(struct perf_map *m, size_t max_symbols)
{
	size_t nr_old;
	struct stat st;
	int r;

	if (fstat(m->fd, &st) < 0)
		return -errno;
	if ((uint64_t)st.st_size < m->read_bytes)
		m->nr = m->read_bytes = 0;
	nr_old = m->nr;
	r = read_lines(m, max_symbols);
	if (m->nr == nr_old)
		return r;
	qsort(m->symbols + nr_old, m->nr - nr_old, sizeof(*m->symbols), jit_compare);
	merge(m, nr_old);
	return 1;
}

/* The covering symbol that was written last. */
static const struct jit_symbol *find(const struct perf_map *m, uint64_t addr)
{
	const struct jit_symbol *found = NULL;
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

		if (addr - s->start < s->size && (!found || s->offset > found->offset))
			found = s;
	}
	return found;
}

int perf_map_name(const struct perf_map *m, uint64_t addr, struct strbuf *to)
{
	const struct jit_symbol *s = find(m, addr);
	struct jit_symbol again;
	const char *name, *nl;
	char buf[MAX_LINE_BYTES];
	ssize_t n;

	if (!s)
		return -ENOENT;
	n = pread(m->fd, buf, sizeof(buf), s->offset);
	if (n <= 0)
		return -EBADMSG;
	nl = memchr(buf, '\n', n);
	if (!line_parse(buf, nl ? nl - buf : n, &again, &name) || again.start != s->start)
		return -EBADMSG;
	strbuf_add(to, name, (nl ? nl : buf + n) - name);
	return 0;
}

size_t perf_map_nr(const struct perf_map *m)
{
	return m->nr;
}

size_t perf_map_bytes(const struct perf_map *m)
{
	return sizeof(*m) + m->cap * sizeof(*m->symbols);
}
