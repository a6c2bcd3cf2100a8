// SPDX-License-Identifier: GPL-2.0-or-later
/* Mappings: the same bytes as those that are read, and files that lose them meanwhile. */
#include "elf/elf_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "symbol/elf_symbols_pack.h"
#include "symbol/elf_symbols_read.h"
#include "unit/unit.h"
#include "util/mem.h"
#include "util/strbuf.h"
#include "util/worker_parser.h"

#define MINUTE_NS  60000000000ull
#define FILE_BYTES (3u << 16)

static int file_make(void)
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	uint16_t words[FILE_BYTES / 2];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = i;
	assert_int_equal(write(fd, words, sizeof(words)), sizeof(words));
	return fd;
}

static void mapped_is_read(void **state)
{
	_cleanup_close_ int fd = file_make();
	_cleanup_elf_source_ struct elf_source mapped, read;
	char a[100], b[100];

	assert_int_equal(elf_source_map(fd, &mapped), 0);
	assert_int_equal(elf_source_from_fd(fd, &read), 0);
	assert_true(mapped.is_mapped);
	assert_int_equal(mapped.len, read.len);
	for (uint64_t at = 0; at < FILE_BYTES + 200; at += 37) {
		int r = elf_source_read(&read, a, sizeof(a), at);
		const uint8_t *view = elf_source_view(&mapped, sizeof(a), at);

		assert_int_equal(elf_source_read(&mapped, b, sizeof(b), at), r);
		assert_int_equal(view != NULL, r == 0);
		if (r == 0) {
			assert_memory_equal(a, b, sizeof(a));
			assert_memory_equal(a, view, sizeof(a));
		}
	}
	assert_null(elf_source_view(&mapped, UINT64_MAX, 8));
	assert_null(elf_source_view(&read, 1, 0));
}

static void nothing_to_map(void **state)
{
	_cleanup_close_ int empty = memfd_create("empty", MFD_CLOEXEC);
	_cleanup_elf_source_ struct elf_source source = { .fd = -1 };
	char byte;

	assert_int_equal(elf_source_map(empty, &source), 0);
	assert_false(source.is_mapped);
	assert_int_equal(elf_source_read(&source, &byte, 1, 0), -ENODATA);
	assert_int_equal(elf_source_map(-1, &source), -EBADF);
}

static void symbols_of(const char *path, bool is_mapped, struct strbuf *to)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_elf_source_ struct elf_source source = { .fd = -1 };
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;
	const struct elf_symbols_input in = { .fd = fd,
					      .source = is_mapped ? &source : NULL,
					      .debug_fd = -1 };

	assert_int_equal(elf_source_map(fd, &source), 0);
	assert_int_equal(elf_symbols_read(&in, &t), 0);
	elf_source_unmap(&source); /* nothing of it is needed any more */
	elf_symbols_pack(t, to);
}

static void same_symbols(void **state)
{
	static const char *const paths[] = { "/proc/self/exe", "/bin/sh", "/bin/bash" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_strbuf_ struct strbuf mapped = STRBUF_INIT, read = STRBUF_INIT;

		symbols_of(paths[i], true, &mapped);
		symbols_of(paths[i], false, &read);
		assert_int_equal(mapped.len, read.len);
		assert_memory_equal(mapped.bytes, read.bytes, read.len);
	}
}

/* ---- in a parser: the file is truncated when its size is known ------------------------------ */

enum asked { AS_IT_IS, TRUNCATE };

static void parse(const struct worker_request *request, struct worker_answer *answer)
{
	const int fd = request->fds[0];
	struct elf_source source = { .fd = -1 };
	char byte;
	int r = ftruncate(fd, FILE_BYTES); /* as it was before another one died of it */

	if (r >= 0)
		r = request->may_map ? elf_source_map(fd, &source)
				     : elf_source_from_fd(fd, &source);
	if (r >= 0 && request->bytes[0] == TRUNCATE)
		r = ftruncate(fd, 0);
	if (r >= 0)
		r = elf_source_read(&source, &byte, 1, FILE_BYTES / 2);
	answer->status = r;
	answer->bytes = xmemdup0(source.is_mapped ? "m" : "r", 1);
	answer->len = 1;
}

static int64_t ask(struct worker_pool *pool, enum asked what, char *ret_how)
{
	_cleanup_close_ int fd = file_make();
	const char byte = what;
	const struct worker_request request = { .bytes = &byte, .len = 1, .fds = { fd, -1 } };
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };

	assert_int_equal(worker_pool_parse(pool, parse, &request, MINUTE_NS, &a), 0);
	*ret_how = a.len ? a.bytes[0] : 0;
	return a.status;
}

/* The parser that has it mapped dies; the next one reads, and no file of others is lost. */
static void truncated_meanwhile(void **state)
{
	struct worker_pool *pool;
	char how;

	if (test_is_emulated())
		skip();
	assert_int_equal(worker_pool_new(&pool), 0);
	assert_int_equal(ask(pool, AS_IT_IS, &how), 0);
	assert_int_equal(how, 'm');
	assert_int_equal(ask(pool, TRUNCATE, &how), -ENODATA);
	assert_int_equal(how, 'r');
	assert_int_equal(ask(pool, AS_IT_IS, &how), 0);
	worker_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mapped_is_read),
		cmocka_unit_test(nothing_to_map),
		cmocka_unit_test(same_symbols),
		cmocka_unit_test(truncated_meanwhile),
	};

	return cmocka_run_group_tests_name("elf_source", tests, NULL, NULL);
}
