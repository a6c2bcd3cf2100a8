// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A question is a head and the distances between addresses, as few bytes each as they need: what
 * is known of a file must be found once for thousands of addresses, and a request is short.
 */
#include "symbol/source_parse.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/dwarf_source.h"
#include "symbol/go_source.h"
#include "util/mem.h"
#include "util/worker_parser.h"

#define MAX_REQUEST_BYTES  8000 /* as worker_process.h */
#define MAX_DISTANCE_BYTES 10
#define MAX_WITH_LINES	   1024 /* lines take several times as long */

struct asked_head {
	uint64_t anchor;
	uint32_t nr;
	uint8_t with_lines, without_alt;
	uint16_t build_id_len; /* 0: any */
	uint8_t build_id[SOURCE_MAX_BUILD_ID];
};

/* ---- in a parser -------------------------------------------------------------------------- */

/* The addresses of a question; it is eddy's own. */
static bool addresses_unpack(const char *bytes, size_t len, uint64_t *addresses, size_t nr)
{
	const char *end = bytes + len;
	uint64_t address = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t distance = 0;
		unsigned int shift = 0;
		uint8_t b;

		do {
			if (bytes == end || shift > 63)
				return false;
			b = (uint8_t)*bytes++;
			distance |= (uint64_t)(b & 0x7f) << shift;
			shift += 7;
		} while (b & 0x80);
		addresses[i] = address += distance;
	}
	return true;
}

/* What the DWARF of the files says, or what a Go program keeps of itself. */
static void source_read(const struct dwarf_source *source, struct source_builder *b,
			struct worker_answer *answer)
{
	answer->status = dwarf_source_read(source, b);
	if (answer->status == -ENODATA)
		answer->status = go_source_read(source, b);
	if (answer->status == -EREMOTE) {
		answer->len = sizeof(*source->ret_alt);
		answer->bytes = xmalloc(answer->len);
		memcpy(answer->bytes, source->ret_alt, answer->len);
	}
	if (answer->status >= 0)
		source_builder_give(b, answer);
}

static void parse(const struct worker_request *request, struct worker_answer *answer)
{
	_cleanup_(source_builder_freep) struct source_builder *b = NULL;
	_cleanup_free_ uint64_t *addresses = NULL;
	struct asked_head head;
	struct dwarf_alt alt;
	struct dwarf_source source = { .fd = request->fds[0],
				       .alt_fd = request->fds[1],
				       .ret_alt = &alt };

	memcpy(&head, request->bytes, sizeof(head));
	if (head.nr > SOURCE_MAX_ADDRESSES || head.build_id_len > SOURCE_MAX_BUILD_ID) {
		answer->status = -E2BIG;
		return;
	}
	parser_bound_cpu(request, SOURCE_PARSE_NS / 1000000);
	addresses = xcalloc(head.nr, sizeof(*addresses));
	source.addresses = addresses;
	source.nr = head.nr;
	source.with_lines = head.with_lines;
	source.without_alt = head.without_alt;
	source.anchor = head.anchor;
	source.build_id = head.build_id;
	source.build_id_len = head.build_id_len;
	b = source_builder_new(head.nr);
	if (addresses_unpack(request->bytes + sizeof(head), request->len - sizeof(head), addresses,
			     head.nr))
		source_read(&source, b, answer);
	else
		answer->status = -EINVAL;
	parser_bound_cpu(request, 0);
}

/* ---- in a worker -------------------------------------------------------------------------- */

static void parse_job(const struct worker_request *request, struct worker_answer *answer)
{
	worker_parse_files(request, parse, answer);
}

/* ---- in the program ----------------------------------------------------------------------- */

/* Adds as many addresses as a request takes; how many. */
static size_t addresses_pack(const struct source_question *q, struct strbuf *to)
{
	const size_t max_addresses = q->with_lines ? MAX_WITH_LINES : SOURCE_MAX_ADDRESSES;
	uint64_t before = 0;
	size_t i;

	for (i = 0;
	     i < q->nr && i < max_addresses && to->len + MAX_DISTANCE_BYTES <= MAX_REQUEST_BYTES;
	     i++) {
		uint64_t left = q->addresses[i] - before;

		before = q->addresses[i];
		for (; left > 0x7f; left >>= 7)
			strbuf_addch(to, (char)(0x80 | (left & 0x7f)));
		strbuf_addch(to, (char)left);
	}
	return i;
}

/* The other file's name, as a parser told it. */
static int alt_taken(const struct source_question *q, const struct worker_answer *a,
		     struct dwarf_alt *ret_alt)
{
	if (q->alt_fd >= 0 || q->without_alt || a->len != sizeof(*ret_alt))
		return -ECHILD;
	memcpy(ret_alt, a->bytes, sizeof(*ret_alt));
	return dwarf_alt_is_sound(ret_alt) ? -EREMOTE : -ECHILD;
}

int source_parse(const struct source_question *q, struct source_table **ret_table,
		 struct dwarf_alt *ret_alt, uint64_t *ret_cpu_ns)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct asked_head head = { .anchor = q->anchor,
				   .with_lines = q->with_lines,
				   .without_alt = q->without_alt };
	const int fds[2] = { q->fd, q->alt_fd };
	struct worker_job job = { .fn = parse_job,
				  .key = q->key,
				  .fds = fds,
				  .patience_ns = SOURCE_PARSE_NS,
				  .is_computing = true };
	int r;

	*ret_cpu_ns = 0;
	if (q->build_id && (!q->build_id_len || q->build_id_len > SOURCE_MAX_BUILD_ID))
		return -ENODATA;
	if (q->build_id) {
		head.build_id_len = q->build_id_len;
		memcpy(head.build_id, q->build_id, q->build_id_len);
	}
	strbuf_add(&bytes, &head, sizeof(head));
	head.nr = addresses_pack(q, &bytes);
	memcpy(bytes.bytes, &head, sizeof(head));
	job.bytes = bytes.bytes;
	job.len = bytes.len;
	r = worker_pool_run(q->pool, &job, &a);
	*ret_cpu_ns = r == -ETIMEDOUT ? SOURCE_PARSE_NS : a.cpu_ns;
	if (r < 0)
		return r;
	r = worker_answer_error(&a);
	if (r == -EREMOTE)
		return alt_taken(q, &a, ret_alt);
	if (r < 0)
		return r == -EPIPE ? -ECHILD : r;
	*ret_table = source_table_taken(&a, head.nr);
	return *ret_table ? (int)head.nr : -ECHILD;
}
