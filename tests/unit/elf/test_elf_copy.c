// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies of the parts of ELF files: every reader makes of the copy what it makes of the file.  It
 * stands here because this floor sees the readers of both kinds.
 */
#include "elf/elf_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "elf/elf_source.h"
#include "random.h"
#include "symbol/elf_symbols_read.h"
#include "unit/unit.h"
#include "unwind/elf_unwind.h"
#include "unwind/unwind_rules.h"
#include "util/mem.h"

#define NR_PROGRAMS 60
#define NR_DAMAGED  300
#define MAX_BYTES   (24 << 20) /* of a program that is damaged many times */
#define NR_PLACES   3000

static struct unwind_table *unwind_of(int fd)
{
	struct elf_source source;

	assert_int_equal(elf_source_from_fd(fd, &source), 0);
	return elf_unwind_read(&source, NULL);
}

static void same_unwind(int fd, int copy)
{
	struct unwind_table *a = unwind_of(fd), *b = unwind_of(copy);

	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->nr_rows, b->nr_rows);
	if (a->nr_rows)
		assert_memory_equal(a->row, b->row, a->nr_rows * sizeof(*a->row));
	assert_int_equal(a->nr_segments, b->nr_segments);
	assert_memory_equal(a->segment, b->segment, a->nr_segments * sizeof(a->segment[0]));
	assert_memory_equal(&a->defects, &b->defects, sizeof(a->defects));
	assert_int_equal(unwind_rules_count(a->rules), unwind_rules_count(b->rules));
	for (uint32_t i = 0; i < unwind_rules_count(a->rules); i++)
		assert_memory_equal(unwind_rules_get(a->rules, i), unwind_rules_get(b->rules, i),
				    sizeof(struct eddy_unwind_rule));
	unwind_table_free(a);
	unwind_table_free(b);
}

static void same_name(const struct elf_symbols *a, const struct elf_symbols *b, uint64_t start)
{
	_cleanup_strbuf_ struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;

	assert_int_equal(elf_symbols_name(a, start, &x), elf_symbols_name(b, start, &y));
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.bytes, y.bytes, x.len);
}

static int functions_read(int fd, struct elf_symbols **ret_table)
{
	return elf_symbols_read_functions(&(struct elf_symbols_input){ .fd = fd, .debug_fd = -1 },
					  ret_table);
}

static int read_symbols(int fd, struct elf_symbols **ret_table)
{
	return elf_symbols_read(&(struct elf_symbols_input){ .fd = fd,
							     .debug_fd = -1,
							     .max_unpacked_bytes = 64 << 20 },
				ret_table);
}

static void same_symbols(int fd, int copy)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *a = NULL, *b = NULL, *x_functions = NULL,
							*y_functions = NULL;
	_cleanup_close_ int functions = elf_copy_here(NULL, fd, ELF_PARTS_FUNCTIONS);
	int r = read_symbols(fd, &a);
	const struct elf_image *x, *y;

	assert_int_equal(read_symbols(copy, &b), r);
	if (r < 0)
		return;
	assert_int_equal(elf_symbols_nr(a), elf_symbols_nr(b));
	assert_int_equal(elf_symbols_is_full(a), elf_symbols_is_full(b));
	assert_int_equal(elf_symbols_is_damaged(a), elf_symbols_is_damaged(b));
	assert_int_equal(elf_symbols_wants_functions(a), elf_symbols_wants_functions(b));
	if (elf_symbols_wants_functions(a) && functions >= 0) {
		assert_int_equal(functions_read(fd, &x_functions), 0);
		assert_int_equal(functions_read(functions, &y_functions), 0);
		elf_symbols_add_functions(a, x_functions);
		elf_symbols_add_functions(b, y_functions);
	}
	assert_int_equal(elf_symbols_bytes(a), elf_symbols_bytes(b));
	x = elf_symbols_image(a);
	y = elf_symbols_image(b);
	assert_int_equal(x->build_id_len, y->build_id_len);
	assert_memory_equal(x->build_id, y->build_id, x->build_id_len);
	assert_int_equal(x->nr_segments, y->nr_segments);
	for (int i = 0; i < NR_PLACES && x->nr_segments; i++) {
		const struct elf_segment *s = &x->segments[i % x->nr_segments];
		uint64_t at = s->vaddr + (s->memory_bytes ? s->memory_bytes / NR_PLACES * i : 0);
		uint64_t starts[2] = { 0, 0 };

		r = elf_symbols_find(a, at, &starts[0]);
		assert_int_equal(elf_symbols_find(b, at, &starts[1]), r);
		assert_int_equal(starts[0], starts[1]);
		if (!r)
			same_name(a, b, starts[0]);
	}
}

static void same(int fd)
{
	for (int parts = ELF_PARTS_UNWIND; parts <= ELF_PARTS_SYMBOLS; parts++) {
		_cleanup_close_ int copy = elf_copy_here(NULL, fd, parts);
		struct stat st[2];

		if (copy == -EFBIG)
			continue;
		assert_true(copy >= 0);
		assert_true(!fstat(fd, &st[0]) && !fstat(copy, &st[1]));
		assert_int_equal(st[0].st_size, st[1].st_size);
		if (parts == ELF_PARTS_UNWIND)
			same_unwind(fd, copy);
		else
			same_symbols(fd, copy);
	}
}

/* An open file of that directory's, by chance; -1: none. */
static int open_any(struct dirent **names, int nr, const char *dir)
{
	char path[512];

	if (nr <= 0)
		return -1;
	snprintf(path, sizeof(path), "%s/%s", dir, names[test_random_below(nr)]->d_name);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static bool is_elf(int fd)
{
	struct stat st;
	char magic[4];

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, magic, 4, 0) == 4 &&
	       !memcmp(magic, "\177ELF", 4);
}

static void programs_of(const char *dir)
{
	struct dirent **names = NULL;
	int nr = scandir(dir, &names, NULL, NULL), seen = 0;

	for (int i = 0; i < 20 * NR_PROGRAMS && seen < NR_PROGRAMS; i++) {
		_cleanup_close_ int fd = open_any(names, nr, dir);

		if (fd < 0 || !is_elf(fd))
			continue;
		seen++;
		same(fd);
	}
	for (int i = 0; i < nr; i++)
		free(names[i]);
	free(names);
	printf("# %s: %d\n", dir, seen);
}

static void programs(void **state)
{
	programs_of("/usr/bin");
	programs_of("/usr/sbin");
}

static void libraries(void **state)
{
	programs_of("/usr/lib/x86_64-linux-gnu");
}

static void not_elf(void **state)
{
	_cleanup_close_ int fd = memfd_create("text", MFD_CLOEXEC), copy = -1;

	copy = elf_copy_here(NULL, fd, ELF_PARTS_SYMBOLS); /* empty */
	assert_true(copy >= 0);
	close(copy);
	assert_int_equal(write(fd, "#!/bin/sh\n", 10), 10);
	same(fd);
	copy = elf_copy_here(NULL, fd, ELF_PARTS_SYMBOLS);
	assert_true(copy >= 0);
	/* Sealed: nobody changes it, or its length. */
	assert_true(ftruncate(copy, 0) < 0 && ftruncate(copy, 100) < 0 && write(copy, "x", 1) < 0);
	assert_true(elf_copy_here(NULL, open("/dev/null", O_RDONLY | O_CLOEXEC), 0) < 0);
}

/* Bytes of the headers are others: whatever comes of it is the same. */
static void damaged(void **state)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes;

	assert_true(!fstat(self, &st) && st.st_size < MAX_BYTES);
	bytes = xmalloc(st.st_size);
	assert_int_equal(read(self, bytes, st.st_size), st.st_size);
	for (int i = 0; i < NR_DAMAGED; i++) {
		_cleanup_close_ int fd = memfd_create("damaged", MFD_CLOEXEC);
		size_t len = i % 7 ? (size_t)st.st_size : test_random_below(st.st_size);

		assert_int_equal(write(fd, bytes, len), len);
		for (unsigned int k = 0; k < 1 + test_random_below(4); k++) {
			/* Headers of the file and of segments, or of sections. */
			size_t at = test_random_below(2) ? test_random_below(1024)
							 : st.st_size - 1 - test_random_below(3000);
			char byte = (char)test_random_below(256);

			if (at < len)
				assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		}
		same(fd);
	}
	free(bytes);
	close(self);
}

static void same_bytes(int a, int b)
{
	static char x[1 << 16], y[1 << 16];
	ssize_t n;

	for (off_t at = 0; (n = pread(a, x, sizeof(x), at)) > 0; at += n) {
		assert_int_equal(pread(b, y, sizeof(y), at), n);
		assert_memory_equal(x, y, n);
	}
	assert_int_equal(n, 0);
}

/* Of a list that is not all inside the file, or too much, nothing is copied. */
static void lists_are_not_believed(void **state)
{
	static const struct {
		struct elf_part part[2];
		size_t nr;
		int r;
	} cases[] = {
		{ { { 1, 2 }, { 6, 2 } }, 2, 0 },
		{ { { 1, 2 }, { 7, 2 } }, 2, -EPIPE },
		{ { { 1, 2 }, { 9, 0 } }, 2, -EPIPE },
		{ { { 1, 2 }, { 1, UINT64_MAX } }, 2, -EPIPE },
		{ { { 1, 2 }, { UINT64_MAX, 2 } }, 2, -EPIPE },
	};
	static struct elf_part many[ELF_PARTS_MAX + 1];
	int from = memfd_create("from", MFD_CLOEXEC);

	assert_int_equal(write(from, "abcdefgh", 8), 8);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_close_ int to = memfd_create("to", MFD_CLOEXEC);
		char bytes[9] = "";

		assert_int_equal(ftruncate(to, 8), 0);
		assert_int_equal(elf_copy_parts(from, to, 8, cases[i].part,
						cases[i].nr * sizeof(*cases[i].part)),
				 cases[i].r);
		assert_int_equal(pread(to, bytes, sizeof(bytes), 0), 8);
		assert_memory_equal(bytes, cases[i].r ? "\0\0\0\0\0\0\0" : "\0bc\0\0\0gh", 8);
	}
	assert_int_equal(elf_copy_parts(from, -1, 8, many, sizeof(many) - sizeof(*many)), 0);
	assert_int_equal(elf_copy_parts(from, -1, 8, many, sizeof(many)), -EPIPE);
	/* Many times the same is too much as well. */
	for (size_t i = 0; i < ELF_PARTS_MAX; i++)
		many[i] = (struct elf_part){ 0, 1 + ELF_PARTS_MAX_BYTES / ELF_PARTS_MAX };
	assert_int_equal(elf_copy_parts(from, -1, 1 << 20, many, sizeof(many) - sizeof(*many)),
			 -EPIPE);
	close(from);
}

/* A file of holes is copied as one: it takes no memory, and its bytes stand where they stood. */
static void holes_stay_holes(void **state)
{
	static const struct elf_part list[] = { { 0, 300 << 20 }, { 1ull << 39, 100 << 20 } };
	const off_t len = 1ll << 40, at[] = { 5, (1 << 20) - 1, (1ll << 39) + (3 << 20) };
	_cleanup_close_ int from = memfd_create("from", MFD_CLOEXEC);
	_cleanup_close_ int to = memfd_create("to", MFD_CLOEXEC);
	struct stat st;

	assert_true(!ftruncate(from, len) && !ftruncate(to, len));
	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		assert_int_equal(pwrite(from, "abc", 3, at[i]), 3);
	assert_int_equal(elf_copy_parts(from, to, len, list, sizeof(list)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		char bytes[5] = "";

		assert_int_equal(pread(to, bytes, sizeof(bytes), at[i] - 1), sizeof(bytes));
		assert_memory_equal(bytes, "\0abc\0", sizeof(bytes));
	}
	assert_int_equal(fstat(to, &st), 0);
	assert_true(st.st_blocks * 512 <= 4 << 20);
}

/* Where a worker copies what its parser has found. */
static void by_workers(void **state)
{
	static const char *const paths[] = { "/proc/self/exe", "/bin/bash", "/etc/passwd" };
	struct worker_pool *pool;

	if (test_is_emulated())
		skip();
	assert_int_equal(worker_pool_new(&pool), 0);
	worker_pool_set_patience(pool, 60000000000ull);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		for (int use = ELF_PARTS_UNWIND; use <= ELF_PARTS_SYMBOLS; use++) {
			_cleanup_close_ int path = open(paths[i], O_PATH | O_CLOEXEC);
			_cleanup_close_ int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
			_cleanup_close_ int here = elf_copy_here(NULL, fd, use);
			_cleanup_close_ int there =
				elf_copy(pool, &(struct worker_key){ .group = 1, .member = i + 1 },
					 path, use);

			assert_true(here >= 0 && there >= 0);
			same_bytes(here, there);
		}
	worker_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs),
		cmocka_unit_test(libraries),
		cmocka_unit_test(not_elf),
		cmocka_unit_test(damaged),
		cmocka_unit_test(lists_are_not_believed),
		cmocka_unit_test(holes_stay_holes),
		cmocka_unit_test(by_workers),
	};

	return cmocka_run_group_tests_name("elf_copy", tests, NULL, NULL);
}
