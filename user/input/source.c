// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes of an input, in blocks.  Plain files go straight to the caller's buffer; gzip goes through
 * one inflate state, and every unpacked byte passes the two bounds.
 */
#include "input/source.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "util/mem.h"

#define PACKED_BYTES (64 * 1024)

struct source {
	FILE *file;
	const char *name;
	uint64_t max_bytes, nr_out;

	bool is_gzip, gzip_open; /* gzip_open: inside a member */
	z_stream z;
	unsigned char *packed;
	uint64_t nr_packed; /* read so far */

	char *peek;
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
	return n;
}

/* More packed bytes into the inflate state; 0 at the end of the file. */
static ssize_t refill_packed(struct source *s, struct diag *ret_diag)
{
	ssize_t n;

	if (s->z.avail_in)
		return s->z.avail_in;
	n = read_file(s, s->packed, PACKED_BYTES, ret_diag);
	if (n < 0)
		return n;
	s->z.next_in = s->packed;
	s->z.avail_in = n;
	s->nr_packed += n;
	return n;
}

static int check_ratio(const struct source *s, struct diag *ret_diag)
{
	uint64_t out = s->nr_out + s->z.total_out;

	if (out < SOURCE_RATIO_MIN_BYTES || out / SOURCE_MAX_RATIO < s->nr_packed)
		return 0;
	return diag_set(ret_diag, E2BIG,
			"%s: unpacks to more than %d times its size: refused as a gzip bomb "
			"(gunzip it first if it is none)",
			s->name, SOURCE_MAX_RATIO);
}

static ssize_t read_gzip(struct source *s, void *to, size_t size, struct diag *ret_diag)
{
	s->z.next_out = to;
	s->z.avail_out = size;
	s->z.total_out = 0;
	while (s->z.avail_out) {
		ssize_t n = refill_packed(s, ret_diag);
		int r;

		if (n < 0)
			return n;
		if (!n && s->gzip_open)
			return diag_set(ret_diag, EINVAL, "%s: gzip data is cut off", s->name);
		if (!n)
			break;
		s->gzip_open = true;
		r = inflate(&s->z, Z_NO_FLUSH);
		if (r == Z_STREAM_END) {
			uLong total = s->z.total_out;

			s->gzip_open = false;
			inflateReset(&s->z);
			s->z.total_out = total;
		} else if (r != Z_OK) {
			return diag_set(ret_diag, EINVAL, "%s: damaged gzip data: %s", s->name,
					s->z.msg ? s->z.msg : "unexpected end");
		}
		r = check_ratio(s, ret_diag);
		if (r < 0)
			return r;
	}
	return size - s->z.avail_out;
}

static ssize_t read_bounded(struct source *s, void *to, size_t size, struct diag *ret_diag)
{
	ssize_t n =
		s->is_gzip ? read_gzip(s, to, size, ret_diag) : read_file(s, to, size, ret_diag);

	if (n < 0)
		return n;
	s->nr_out += n;
	if (s->nr_out > s->max_bytes)
		return diag_set(ret_diag, E2BIG,
				"%s: more than %llu bytes%s (--max-input raises the limit)",
				s->name, (unsigned long long)s->max_bytes,
				s->is_gzip ? " unpacked" : "");
	return n;
}

/* Looks at the first bytes of the file; when they are gzip they become the inflate state's. */
static int begin(struct source *s, struct diag *ret_diag)
{
	ssize_t n = read_file(s, s->peek, SOURCE_PEEK_BYTES, ret_diag);

	if (n < 0)
		return n;
	if (n >= 2 && !memcmp(s->peek, "\x1f\x8b", 2)) {
		s->packed = xmalloc(PACKED_BYTES);
		memcpy(s->packed, s->peek, n);
		s->z.next_in = s->packed;
		s->z.avail_in = s->nr_packed = n;
		if (inflateInit2(&s->z, 16 + MAX_WBITS) != Z_OK)
			return diag_set(ret_diag, ENOMEM, "%s: zlib does not start", s->name);
		s->is_gzip = true;
		n = read_bounded(s, s->peek, SOURCE_PEEK_BYTES, ret_diag);
		if (n < 0)
			return n;
	} else {
		s->nr_out = n;
	}
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

void source_free(struct source *s)
{
	if (!s)
		return;
	if (s->is_gzip)
		inflateEnd(&s->z);
	free(s->packed);
	free(s->peek);
	free(s);
}

const char *source_peek(const struct source *s, size_t *ret_len)
{
	*ret_len = s->peek_len;
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
