// SPDX-License-Identifier: GPL-2.0-or-later
/* Code goes to the parser as a file in memory: requests are short. */
#include "symbol/function_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/mem.h"

#define PARSE_NS 2000000000ull

struct code_question {
	uint64_t start, len;
};

void function_code_deinit(struct function_code *f)
{
	disassembly_free(f->code);
	free(f->lines);
	strbuf_deinit(&f->files);
	*f = (struct function_code)FUNCTION_CODE_INIT;
}

/* In a parser. */
static void parse(const struct worker_request *request, struct worker_answer *answer)
{
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;
	_cleanup_free_ uint8_t *code = NULL;
	struct code_question q;

	memcpy(&q, request->bytes, sizeof(q));
	answer->status = -E2BIG;
	if (q.len > DISASSEMBLY_MAX_BYTES)
		return;
	code = xmalloc(q.len);
	answer->status = -EBADMSG;
	if (pread(request->fds[0], code, q.len, 0) != (ssize_t)q.len)
		return;
	answer->status = disassembly_pack(DISASSEMBLY_NATIVE, q.start, code, q.len, &packed);
	if (answer->status >= 0)
		parsed_give(packed.bytes, packed.len, answer);
}

int function_code_read(struct worker_pool *pool, uint64_t start, const void *bytes, size_t len,
		       struct function_code *ret)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	_cleanup_close_ int fd = memfd_create("eddy-code", MFD_CLOEXEC);
	const struct code_question q = { start, len };
	const struct worker_request request = { .bytes = (const char *)&q,
						.len = sizeof(q),
						.fds = { fd, -1 } };
	int r;

	if (len > DISASSEMBLY_MAX_BYTES)
		return -E2BIG;
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		return -ENOMEM;
	r = worker_pool_parse(pool, parse, &request, PARSE_NS, &a);
	r = r < 0 ? r : worker_answer_error(&a);
	if (r < 0)
		return r == -EPIPE || r == -ETIMEDOUT ? -ECHILD : r;
	ret->code = disassembly_taken(&a, start, len);
	ret->start = start;
	ret->end = start + len;
	return ret->code ? 0 : -ECHILD;
}

/* ---- lines -------------------------------------------------------------------------------- */

static uint32_t file_add(struct function_code *f, const char *file, uint32_t before)
{
	uint32_t at = f->files.len;

	if (!*file)
		return 0;
	if (!strcmp(f->files.bytes + before, file))
		return before;
	strbuf_add(&f->files, file, strlen(file) + 1);
	return at;
}

static void lines_take(struct function_code *f, size_t first, const struct source_table *t)
{
	uint32_t file = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const struct source_place *place = &t->places[i];
		const struct source_frame *innermost;

		if (!place->nr)
			continue;
		innermost = &t->frames[place->first + place->nr - 1];
		file = file_add(f, source_table_string(t, innermost->file), file);
		f->lines[first + i] = (struct code_line){ file, innermost->line };
	}
}

void function_code_find_lines(struct function_code *f, function_code_ask ask, void *ctx)
{
	const size_t nr = f->code->nr;
	_cleanup_free_ uint64_t *addresses = xcalloc(nr, sizeof(*addresses));

	for (size_t i = 0; i < nr; i++)
		addresses[i] = f->code->insns[i].address;
	if (!f->files.len)
		strbuf_addch(&f->files, '\0');
	for (size_t first = 0; first < nr;) {
		_cleanup_source_table_ struct source_table *table = NULL;
		int done = ask(ctx, addresses + first, nr - first, &table);

		if (done <= 0)
			return;
		if (!f->lines)
			f->lines = xcalloc(nr, sizeof(*f->lines));
		lines_take(f, first, table);
		first += done;
	}
}

const char *function_code_line(const struct function_code *f, size_t i, uint32_t *ret_line)
{
	*ret_line = f->lines ? f->lines[i].line : 0;
	return *ret_line ? f->files.bytes + f->lines[i].file : "";
}
