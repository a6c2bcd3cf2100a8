// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of mapped files: each loaded once, again when overwritten, within bounds of memory. */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/mapped_file.h"
#include "unit/symbol/elf_maker.h"

static const struct made_symbol symbols[] = {
	{ "public", 0x5000, 16, STT_FUNC, STB_GLOBAL, 0 },
	{ "private", 0x5010, 16, STT_FUNC, STB_LOCAL, 0 },
};

struct fixture {
	struct frame_table *frames;
	uint32_t next_space;
	struct file_table *t;
	char dir[32];
};

static void make_table(struct fixture *f, uint64_t max_bytes)
{
	file_table_free(f->t);
	f->t = file_table_new(f->frames, "", max_bytes, &f->next_space);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->frames = frame_table_new();
	f->next_space = 1;
	make_table(f, 0);
	strcpy(f->dir, "/tmp/eddy-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	file_table_free(f->t);
	frame_table_unref(f->frames);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

/* Writes an ELF file of that name; full: with .symtab, else the public symbol only. */
static void write_elf(struct fixture *f, const char *name, const char *build_id, bool full)
{
	struct made_elf m = { .text_vaddr = 0x5000, .text_bytes = 0x100, .build_id = build_id };
	struct strbuf bytes;
	char path[128];
	FILE *to;

	if (full)
		m.symtab = symbols, m.nr_symtab = 2;
	else
		m.dynsym = symbols, m.nr_dynsym = 1;
	bytes = elf_make(&m);
	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	to = fopen(path, "w");
	assert_non_null(to);
	fwrite(bytes.bytes, 1, bytes.len, to);
	fclose(to);
	strbuf_deinit(&bytes);
}

/* What a process that maps the file does; the reference is the caller's. */
static struct mapped_file *get(struct fixture *f, const char *name, uint64_t now_ms)
{
	char path[128];
	struct stat st;
	bool wants_fd;
	struct mapped_file *m;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	assert_int_equal(stat(path, &st), 0);
	m = mapped_file_get(f->t, &(struct file_key){ st.st_dev, st.st_ino, path, strlen(path) },
			    now_ms, &wants_fd);
	if (wants_fd)
		mapped_file_set_fd(f->t, m, open_regular(path, 0, st.st_dev, st.st_ino));
	return m;
}

/* Writes it in place, at a time that no other version of it has. */
static void write_elf_at(struct fixture *f, const char *name, const char *build_id, bool full,
			 time_t mtime)
{
	const struct timespec times[2] = { { mtime, 0 }, { mtime, 0 } };
	char path[128];

	write_elf(f, name, build_id, full);
	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* What the sampler does for a file that it gives another number; the reference is the caller's. */
static struct mapped_file *announce(struct fixture *f, const char *name, uint64_t now_ms)
{
	struct mapped_file *m = get(f, name, now_ms);
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	mapped_file_set_fd(f->t, m, open_regular(path, 0, 0, 0));
	return m;
}

static int nr_open_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static size_t nr_symbols(struct fixture *f, struct mapped_file *m, uint64_t now_ms)
{
	return elf_symbols_nr(mapped_file_symbols(f->t, m, now_ms));
}

static void test_once_each(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *a, *b;

	write_elf(f, "lib.so", "build-1", true);
	write_elf(f, "other.so", "build-2", true);
	a = get(f, "lib.so", 0);
	assert_ptr_equal(a, get(f, "lib.so", 1));
	b = get(f, "other.so", 1);
	assert_ptr_not_equal(a, b);
	assert_true(a->space != b->space && a->space + 1 != b->space && a->space != b->space + 1);
	assert_string_equal(frame_table_str(f->frames, a->module, NULL), "lib.so");
	assert_int_equal(file_table_nr(f->t), 2);
	assert_ptr_not_equal(mapped_file_symbols(f->t, a, 2), mapped_file_symbols(f->t, b, 2));
}

/* Copies share a table, unless the copy has more symbols than the one that is loaded. */
static void test_same_build_id(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *stripped, *full, *copy;
	const struct elf_symbols *few, *all;

	write_elf(f, "stripped", "build-1", false);
	write_elf(f, "full", "build-1", true);
	write_elf(f, "copy", "build-1", false);
	stripped = get(f, "stripped", 0);
	full = get(f, "full", 0);
	copy = get(f, "copy", 0);
	few = mapped_file_symbols(f->t, stripped, 1);
	all = mapped_file_symbols(f->t, full, 1);
	assert_int_equal(elf_symbols_nr(few), 1);
	assert_int_equal(elf_symbols_nr(all), 2);
	assert_true(mapped_file_symbols(f->t, copy, 1) == few ||
		    mapped_file_symbols(f->t, copy, 1) == all);
}

static void test_bad_files(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *m;
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/script", f->dir);
	to = fopen(path, "w");
	fputs("#!/bin/sh\n", to);
	fclose(to);
	m = get(f, "script", 0);
	assert_null(mapped_file_symbols(f->t, m, 0));
	assert_int_equal(m->miss, SYMBOL_MISS_BAD_ELF);
	assert_null(mapped_file_symbols(f->t, m, 1));
	assert_int_equal(m->miss, SYMBOL_MISS_BAD_ELF);
	assert_int_equal(open_regular(f->dir, 0, 0, 0), -EINVAL);
	assert_int_equal(open_regular("/dev/null", 0, 0, 0), -EINVAL);
	assert_int_equal(open_regular(path, 0, 1, 1), -ESTALE);
	snprintf(path, sizeof(path), "%s/none", f->dir);
	assert_int_equal(open_regular(path, 0, 0, 0), -ENOENT);
}

/* Overwritten in place: old symbols, and all that is cached under the old numbers, are void. */
static void test_overwritten(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *m;
	uint32_t space;

	write_elf_at(f, "lib.so", "build-1", true, 1);
	m = get(f, "lib.so", 0);
	space = m->space;
	assert_int_equal(nr_symbols(f, m, 0), 2);
	write_elf_at(f, "lib.so", "build-2", false, 2);
	assert_ptr_equal(get(f, "lib.so", 5000), m);
	assert_int_not_equal(m->space, space);
	assert_int_equal(nr_symbols(f, m, 5000), 1);
}

/* Each version that the sampler tells of is seen, however soon it comes. */
static void test_overwritten_soon(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *m;
	uint32_t space;
	int fds;

	write_elf_at(f, "lib.so", "build-1", true, 1);
	m = announce(f, "lib.so", 10000);
	assert_int_equal(nr_symbols(f, m, 10000), 2);
	fds = nr_open_fds();
	for (int version = 2; version < 10; version++) {
		uint64_t now_ms = 10000 + version * 250;

		space = m->space;
		assert_ptr_equal(announce(f, "lib.so", now_ms), m);
		assert_int_equal(m->space, space); /* the same as before */
		write_elf_at(f, "lib.so", "build", version % 2, version);
		assert_ptr_equal(announce(f, "lib.so", now_ms + 100), m);
		assert_int_not_equal(m->space, space);
		assert_int_equal(nr_symbols(f, m, now_ms + 100), 1 + version % 2);
		assert_int_equal(nr_open_fds(), fds);
	}
}

/* Nobody maps it anew, nobody tells of it: it is noticed when its symbols are asked for. */
static void test_overwritten_silently(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *m;
	uint32_t space;

	write_elf_at(f, "lib.so", "build-1", true, 1);
	m = get(f, "lib.so", 10000);
	space = m->space;
	assert_int_equal(nr_symbols(f, m, 10000), 2);
	write_elf_at(f, "lib.so", "build-2", false, 2);
	assert_int_equal(nr_symbols(f, m, 11000), 1);
	assert_int_not_equal(m->space, space);
}

/* Files that share a table change each for itself. */
static void test_overwritten_copy(void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	const struct elf_symbols *table;
	uint32_t space_a, space_b;
	struct mapped_file *a, *b;

	write_elf_at(f, "a.so", "build-1", true, 1);
	write_elf_at(f, "b.so", "build-1", true, 2);
	a = get(f, "a.so", 10000);
	b = get(f, "b.so", 10000);
	space_a = a->space;
	space_b = b->space;
	table = mapped_file_symbols(f->t, a, 10000);
	assert_ptr_equal(mapped_file_symbols(f->t, b, 10000), table);
	get(f, "a.so", 12000);
	get(f, "b.so", 12000);
	assert_int_equal(a->space, space_a);
	assert_int_equal(b->space, space_b);

	write_elf_at(f, "b.so", "build-2", false, 3);
	get(f, "b.so", 14000);
	assert_int_not_equal(b->space, space_b);
	assert_int_equal(nr_symbols(f, b, 14000), 1);
	assert_ptr_equal(mapped_file_symbols(f->t, a, 14000), table);
	assert_int_equal(a->space, space_a);

	write_elf_at(f, "b.so", "build-1", true, 4);
	assert_ptr_equal(mapped_file_symbols(f->t, b, 16000), table);
	write_elf_at(f, "a.so", "build-3", false, 5); /* names were read from it for b too */
	assert_int_equal(nr_symbols(f, a, 18000), 1);
	assert_int_equal(nr_symbols(f, b, 18000), 2);
	assert_int_equal(elf_symbols_name(mapped_file_symbols(f->t, b, 18000), 0x5010, &name), 0);
	assert_string_equal(name.bytes, "private");
}

static void test_forgotten(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *used, *unused;

	write_elf(f, "used", "build-1", true);
	write_elf(f, "unused", "build-2", true);
	used = get(f, "used", 0);
	unused = get(f, "unused", 0);
	mapped_file_symbols(f->t, used, 0);
	mapped_file_symbols(f->t, unused, 0);
	mapped_file_put(unused);
	file_table_age(f->t, 30000);
	assert_int_equal(file_table_nr(f->t), 2); /* not at once */
	file_table_age(f->t, 100000);
	assert_int_equal(file_table_nr(f->t), 1); /* but a mapped one never */
	assert_ptr_equal(get(f, "used", 100001), used);
}

/* A table that nobody asks for goes, though the file is mapped; it comes back as it was. */
static void test_table_forgotten(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *asked, *silent;
	size_t none, both;
	int fds;

	write_elf(f, "asked", "build-1", true);
	write_elf(f, "silent", "build-2", false);
	asked = get(f, "asked", 0);
	silent = get(f, "silent", 0);
	none = file_table_bytes(f->t);
	mapped_file_symbols(f->t, asked, 0);
	mapped_file_symbols(f->t, silent, 0);
	both = file_table_bytes(f->t);
	fds = nr_open_fds();
	mapped_file_symbols(f->t, asked, 50000);
	file_table_age(f->t, 59999);
	assert_int_equal(file_table_bytes(f->t), both);
	file_table_age(f->t, 70000);
	assert_null(silent->symbols);
	assert_non_null(asked->symbols);
	assert_in_range(file_table_bytes(f->t), none + 1, both - 1);
	assert_int_equal(nr_open_fds(), fds); /* the file stays open */
	assert_int_equal(elf_symbols_nr(mapped_file_symbols(f->t, silent, 70001)), 1);
	assert_int_equal(elf_symbols_nr(mapped_file_symbols(f->t, asked, 70001)), 2);
	assert_int_equal(file_table_bytes(f->t), both);
	file_table_age(f->t, 140000);
	assert_int_equal(file_table_bytes(f->t), none);
}

/* With room for one table, tables come and go; each is right when it is asked for. */
static void test_memory_bound(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *files[8];
	char name[16], id[16];
	size_t before;

	make_table(f, 1);
	before = file_table_bytes(f->t);
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "lib%d.so", i);
		snprintf(id, sizeof(id), "build-%d", i);
		write_elf(f, name, id, i % 2);
		files[i] = get(f, name, i);
	}
	for (int round = 0; round < 100; round++) {
		int i = test_random_below(8);

		assert_int_equal(elf_symbols_nr(mapped_file_symbols(f->t, files[i], 10 + round)),
				 1 + i % 2);
		assert_true(file_table_bytes(f->t) - before < 8 * 400 + 1000);
	}
}

/* With few descriptors allowed, files are closed and opened again, as long as they are the same. */
static void test_descriptor_bound(void **state)
{
	struct fixture *f = *state;
	struct rlimit old, few;
	struct mapped_file *files[40];
	int before = nr_open_fds();
	char name[16], id[16];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){ 32, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	make_table(f, 0);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "lib%d.so", i);
		snprintf(id, sizeof(id), "build-%d", i);
		write_elf(f, name, id, i % 2);
		files[i] = get(f, name, i);
		assert_true(nr_open_fds() - before <= 17);
	}
	for (int round = 0; round < 200; round++) {
		int i = test_random_below(40);

		assert_int_equal(elf_symbols_nr(mapped_file_symbols(f->t, files[i], 100 + round)),
				 1 + i % 2);
		assert_true(nr_open_fds() - before <= 17);
	}
	/* What was replaced while it was closed is not read. */
	for (int i = 0; i < 40; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/lib%d.so", f->dir, i);
		assert_int_equal(unlink(path), 0);
		snprintf(name, sizeof(name), "lib%d.so", i);
		write_elf(f, name, "new-build", true);
	}
	for (int i = 0, missing = 0; i < 40; i++) {
		missing += !mapped_file_symbols(f->t, files[i], 1000);
		if (i == 39)
			assert_true(missing >= 20);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	file_table_free(f->t);
	f->t = NULL;
	assert_int_equal(nr_open_fds(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_once_each, setup, teardown),
		cmocka_unit_test_setup_teardown(test_same_build_id, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overwritten, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overwritten_soon, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overwritten_silently, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overwritten_copy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(test_table_forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_bound, setup, teardown),
		cmocka_unit_test_setup_teardown(test_descriptor_bound, setup, teardown),
	};

	return cmocka_run_group_tests_name("mapped_file", tests, NULL, NULL);
}
