// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From record to record by what each says of its length; the code in them is not looked at, so a
 * step reads little of a large file.
 */
#include "symbol/jit_dump_read.h"

#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define MAGIC	      0x4a695444u /* "JiTD"; of a machine with the other order of bytes reversed */
#define MAX_RECORDS   16384	  /* for one answer */
#define WINDOW_BYTES  8192
#define FLAG_OWN_TIME 1 /* in the header: times are those of a counter of the processor's */

enum record_kind {
	RECORD_LOAD,
	RECORD_MOVE,
};

struct file_header {
	uint32_t magic, version, bytes, machine, pad, pid;
	uint64_t time, flags;
};

struct record_header {
	uint32_t kind, bytes;
	uint64_t time_ns;
};

/* Behind these: a name that ends in a zero, then the code. */
struct record_load {
	struct record_header head;
	uint32_t pid, tid;
	uint64_t load_address, start, bytes, index;
};

struct record_move {
	struct record_header head;
	uint32_t pid, tid;
	uint64_t load_address, old_start, start, bytes, index;
};

_Static_assert(sizeof(struct file_header) == 40, "as it stands in the file");
_Static_assert(sizeof(struct record_header) == 16, "as it stands in the file");
_Static_assert(sizeof(struct record_load) == 56, "as it stands in the file");
_Static_assert(sizeof(struct record_move) == 64, "as it stands in the file");
_Static_assert(WINDOW_BYTES >= sizeof(struct record_load) + PERF_MAP_MAX_NAME, "read at once");

struct dump {
	struct jit_reader *r;
	int fd;
	uint64_t file_bytes;
	uint32_t pid;
	bool has_times;
	char window[WINDOW_BYTES];
	uint64_t at; /* where in the file it begins */
	size_t len;
};

/* What stands there in the file: how many bytes, at least `want` of those that there are. */
static ssize_t window_get(struct dump *d, uint64_t at, size_t want, const char **ret_bytes)
{
	if (at < d->at || at - d->at > d->len || d->len - (at - d->at) < want) {
		ssize_t n = jit_read_at(d->fd, d->window, sizeof(d->window), at);

		if (n < 0)
			return n;
		d->at = at;
		d->len = n;
	}
	*ret_bytes = d->window + (at - d->at);
	return (ssize_t)(d->len - (at - d->at));
}

static bool is_dump(const struct file_header *h)
{
	return h->magic == MAGIC && h->version && h->bytes >= sizeof(*h);
}

/* False: it has none yet, or is no dump; then there is nothing to read. */
static bool header_read(struct dump *d)
{
	struct file_header h;
	const char *bytes;

	if (window_get(d, 0, sizeof(h), &bytes) < (ssize_t)sizeof(h))
		return false;
	memcpy(&h, bytes, sizeof(h));
	if (!is_dump(&h))
		return false;
	d->pid = h.pid;
	d->has_times = !(h.flags & FLAG_OWN_TIME);
	if (!d->r->head.to)
		d->r->head.to = h.bytes;
	return true;
}

/* False: no room for it.  `len` bytes of the record stand there. */
static bool load_add(struct dump *d, const char *bytes, size_t len)
{
	struct record_load load;
	struct jit_symbol s = { 0 };

	if (len < sizeof(load))
		return true;
	memcpy(&load, bytes, sizeof(load));
	if (load.pid != d->pid)
		return true;
	s.start = load.start;
	s.size = load.bytes;
	s.time_ns = d->has_times ? load.head.time_ns : 0;
	len -= sizeof(load);
	return jit_reader_add(d->r, s, bytes + sizeof(load), strnlen(bytes + sizeof(load), len));
}

static bool move_add(struct dump *d, const char *bytes, size_t len)
{
	struct record_move move;
	struct jit_symbol s = { .is_move = true };

	if (len < sizeof(move))
		return true;
	memcpy(&move, bytes, sizeof(move));
	if (move.pid != d->pid)
		return true;
	s.start = move.start;
	s.size = move.bytes;
	s.time_ns = d->has_times ? move.head.time_ns : 0;
	return jit_reader_add(d->r, s, (const char *)&move.old_start, sizeof(move.old_start));
}

/* The next record, if it is there; behind one whose length is nonsense there is nothing more. */
static int record_read(struct dump *d)
{
	const size_t want = sizeof(struct record_load) + PERF_MAP_MAX_NAME;
	struct jit_head *h = &d->r->head;
	struct record_header head;
	const char *bytes;
	ssize_t n = window_get(d, h->to, want, &bytes);
	bool has_room = true;
	size_t len;

	if (n < 0)
		return (int)n;
	h->is_end = n < (ssize_t)sizeof(head);
	if (h->is_end)
		return 0;
	memcpy(&head, bytes, sizeof(head));
	h->is_end = head.bytes < sizeof(head) || head.bytes > d->file_bytes - h->to;
	if (h->is_end)
		return 0;
	len = head.bytes < (size_t)n ? head.bytes : (size_t)n;
	if (head.kind == RECORD_LOAD)
		has_room = load_add(d, bytes, len);
	else if (head.kind == RECORD_MOVE)
		has_room = move_add(d, bytes, len);
	if (has_room)
		h->to += head.bytes;
	return 0;
}

int jit_dump_read(struct jit_reader *r, int fd)
{
	struct dump d = { .r = r, .fd = fd };
	const off_t end = lseek(fd, 0, SEEK_END);
	int err = 0;

	r->head.to = r->head.from;
	d.file_bytes = end > 0 ? (uint64_t)end : 0;
	r->head.is_end = !header_read(&d) || r->head.to > d.file_bytes;
	for (int i = 0; i < MAX_RECORDS && !r->head.is_end && !r->head.is_full && !err; i++) {
		err = record_read(&d);
		r->head.is_full |= r->head.to >= JIT_DUMP_MAX_FILE;
	}
	return err;
}
