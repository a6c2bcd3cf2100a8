// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes of an input, in blocks.  Plain files go straight to the caller's buffer; packed ones go
 * through one state, and every unpacked byte passes the two bounds.  A small gzip file, as most
 * snapshots are, is unpacked at once.
 */
#include "input/source.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "input/gunzip_whole.h"
#include "input/unpack.h"
#include "util/mem.h"

#define PACKED_BYTES	(64 * 1024)
#define WHOLE_BYTES	((size_t)1 << 20) /* packed */
#define TELL_BYTES	((size_t)4 << 20)
#define MAX_WHOLE_BYTES ((size_t)16 << 20)

struct source {
	FILE *file;
	const char *name;
	uint64_t max_bytes, nr_out;
	const struct listener *listener; /* NULL: nobody */
	uint64_t nr_in, all;		 /* read of the file, and what it has; 0: not known */
	uint64_t told_at;		 /* the last nr_out that was told of */

	bool is_packed;
	struct unpack unpack;
	uint8_t *packed;
	uint64_t nr_packed; /* read so far */

	char *peek; /* SOURCE_PEEK_BYTES, or all that the file unpacks to */
	size_t peek_len, peek_used;
};

/* fread with errno; fewer bytes than asked for: the end. */
static ssize_t read_file(struct source *s, void *to, size_t size, struct diag *ret_diag)
{
	size_t n;

	errno = 0;
	n = fread(to, 1, size, s->file);
	if (n < size && ferror(s->file))
		return diag_set(ret_diag, errno ? errno : EIO, "%s: cannot read: %s", s->name,
				strerror(errno ? errno : EIO));
	s->nr_in += n;
	return n;
}

/* More packed bytes for the state; 0 at the end of the file. */
static ssize_t refill_packed(struct source *s, struct diag *ret_diag)
{
	struct unpack *u = &s->unpack;
	ssize_t n;

	if (u->in_len)
		return u->in_len;
	n = read_file(s, s->packed, PACKED_BYTES, ret_diag);
	if (n < 0)
		return n;
	u->in = s->packed;
	u->in_len = n;
	s->nr_packed += n;
	return n;
}

/* nr_more: bytes that were unpacked and are not in nr_out yet. */
static int check_ratio(const struct source *s, uint64_t nr_more, struct diag *ret_diag)
{
	const struct unpack *u = &s->unpack;
	uint64_t out = s->nr_out + nr_more;

	if (out < SOURCE_RATIO_MIN_BYTES || out / u->max_ratio < s->nr_packed)
		return 0;
	return diag_set(ret_diag, E2BIG,
			"%s: unpacks to more than %u times its size: refused as a %s bomb "
			"(unpack it first if it is none)",
			s->name, u->max_ratio, u->name);
}

static ssize_t read_packed(struct source *s, void *to, size_t size, struct diag *ret_diag)
{
	struct unpack *u = &s->unpack;

	u->out = to;
	u->out_len = size;
	while (u->out_len) {
		ssize_t n = refill_packed(s, ret_diag);
		size_t out_len = u->out_len;
		int r;

		if (n < 0)
			return n;
		if (!n && !u->is_open)
			break;
		r = unpack_run(u, !n);
		if (r < 0)
			return diag_set(ret_diag, EINVAL, "%s: damaged %s data: %s", s->name,
					u->name, u->why);
		if (u->is_open && u->out_len == out_len && u->in_len == (size_t)n)
			return diag_set(ret_diag, EINVAL, "%s: %s data is cut off", s->name,
					u->name);
		r = check_ratio(s, size - u->out_len, ret_diag);
		if (r < 0)
			return r;
	}
	return size - u->out_len;
}

static ssize_t read_bounded(struct source *s, void *to, size_t size, struct diag *ret_diag)
{
	ssize_t n = s->is_packed ? read_packed(s, to, size, ret_diag)
				 : read_file(s, to, size, ret_diag);

	if (n < 0)
		return n;
	s->nr_out += n;
	if (s->nr_out > s->max_bytes)
		return diag_set(ret_diag, E2BIG,
				"%s: more than %llu bytes%s (--max-input raises the limit)",
				s->name, (unsigned long long)s->max_bytes,
				s->is_packed ? " unpacked" : "");
	if (s->nr_out - s->told_at >= TELL_BYTES) {
		s->told_at = s->nr_out;
		listener_part(s->listener, "reading", s->name, s->nr_in, s->all);
	}
	return n;
}

/*
 * More of a packed file of which `len` bytes have been read: all, if that is little.  *ret_is_all:
 * nothing comes behind that.
 */
static int read_whole(struct source *s, size_t len, bool *ret_is_all, struct diag *ret_diag)
{
	ssize_t n = 0;

	*ret_is_all = len < SOURCE_PEEK_BYTES;
	s->packed = xmalloc(*ret_is_all ? PACKED_BYTES : WHOLE_BYTES);
	memcpy(s->packed, s->peek, len);
	if (!*ret_is_all) {
		n = read_file(s, s->packed + len, WHOLE_BYTES - len, ret_diag);
		if (n < 0)
			return n;
		*ret_is_all = (size_t)n < WHOLE_BYTES - len;
	}
	s->unpack.in = s->packed;
	s->unpack.in_len = s->nr_packed = len + n;
	return 0;
}

/* Unpacks all at once, where that goes without a fault. */
static bool unpack_at_once(struct source *s)
{
	size_t max = s->max_bytes < MAX_WHOLE_BYTES ? s->max_bytes : MAX_WHOLE_BYTES, len;
	char *whole = gunzip_whole(s->unpack.in, s->unpack.in_len, max, &len);

	if (!whole)
		return false;
	free(s->peek);
	s->peek = whole;
	s->peek_len = s->nr_out = len;
	s->unpack.in_len = 0;
	return true;
}

/* Looks at the first bytes of the file; when they are packed they become the state's. */
static int begin(struct source *s, struct diag *ret_diag)
{
	ssize_t n = read_file(s, s->peek, SOURCE_PEEK_BYTES, ret_diag);
	bool is_all;
	int r;

	if (n < 0)
		return n;
	r = unpack_init(&s->unpack, (const uint8_t *)s->peek, n);
	if (r < 0)
		return diag_set(ret_diag, ENOMEM, "%s: %s does not start", s->name, s->unpack.name);
	s->is_packed = r;
	if (!s->is_packed) {
		s->nr_out = s->peek_len = n;
		return 0;
	}
	r = read_whole(s, n, &is_all, ret_diag);
	if (r < 0 || (is_all && s->unpack.is_gzip && unpack_at_once(s)))
		return r;
	n = read_bounded(s, s->peek, SOURCE_PEEK_BYTES, ret_diag);
	if (n < 0)
		return n;
	s->peek_len = n;
	return 0;
}

int source_new(FILE *f, const char *name, uint64_t max_bytes, struct source **ret_source,
	       struct diag *ret_diag)
{
	_cleanup_(source_freep) struct source *s = xcalloc(1, sizeof(*s));
	int r;

	s->file = f;
	s->name = name;
	s->max_bytes = max_bytes;
	s->peek = xmalloc(SOURCE_PEEK_BYTES);
	r = begin(s, ret_diag);
	if (r < 0)
		return r;
	*ret_source = take_ptr(s);
	return 0;
}

void source_set_listener(struct source *s, const struct listener *l)
{
	struct stat st;

	s->listener = l;
	if (l && !fstat(fileno(s->file), &st) && S_ISREG(st.st_mode))
		s->all = st.st_size;
}

void source_free(struct source *s)
{
	if (!s)
		return;
	unpack_deinit(&s->unpack);
	free(s->packed);
	free(s->peek);
	free(s);
}

const char *source_peek(const struct source *s, size_t *ret_len)
{
	*ret_len = s->peek_len < SOURCE_PEEK_BYTES ? s->peek_len : SOURCE_PEEK_BYTES;
	return s->peek;
}

ssize_t source_read(struct source *s, void *to, size_t size, struct diag *ret_diag)
{
	size_t had = s->peek_len - s->peek_used;
	ssize_t n;

	if (had > size)
		had = size;
	memcpy(to, s->peek + s->peek_used, had);
	s->peek_used += had;
	if (had == size)
		return size;
	n = read_bounded(s, (char *)to + had, size - had, ret_diag);
	return n < 0 ? n : (ssize_t)had + n;
}
