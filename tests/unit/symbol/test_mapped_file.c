// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of mapped files: each loaded once, again when overwritten, within bounds of memory. */
#include "unit/symbol/mapped_files.h"

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
	assert_int_equal(open_here(f->dir, 0, 0), -EINVAL);
	assert_int_equal(open_here("/dev/null", 0, 0), -EINVAL);
	assert_int_equal(open_here(path, 1, 1), -ESTALE);
	snprintf(path, sizeof(path), "%s/none", f->dir);
	assert_int_equal(open_here(path, 0, 0), -ENOENT);
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
	write_elf_at(f, "a.so", "build-3", false, 5); /* b's table was read from it */
	assert_int_equal(nr_symbols(f, a, 18000), 1);
	assert_int_equal(nr_symbols(f, b, 18000), 2);
	assert_int_equal(elf_symbols_name(mapped_file_symbols(f->t, b, 18000), 0x5010, &name), 0);
	assert_string_equal(name.bytes, "private");
}

/* What is open keeps a file system busy: it goes with the last process, names are there still. */
static void test_closed(void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct mapped_file *named, *silent;
	int fds = nr_open_fds();

	write_elf(f, "named", "build-1", true);
	write_elf(f, "silent", "build-2", true);
	named = get(f, "named", 1000);
	silent = get(f, "silent", 1000);
	mapped_file_symbols(f->t, named, 1000);
	file_table_age(f->t, 5000);
	assert_int_equal(nr_open_fds(), fds + 2); /* as long as a process maps it */
	mapped_file_put(named);
	mapped_file_put(silent);
	file_table_age(f->t, 6000);
	assert_int_equal(nr_open_fds(), fds);
	assert_int_equal(elf_symbols_name(mapped_file_symbols(f->t, named, 6000), 0x5010, &name),
			 0);
	assert_string_equal(name.bytes, "private");
	assert_int_equal(nr_symbols(f, silent, 6000), 2); /* by its path */
	assert_null(file_table_next_lost(f->t));
}

/* Of a file that the sampler knows by number no process need be known. */
static void test_lost(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *there, *gone, *named;
	char path[128];
	int fds = nr_open_fds();

	write_elf(f, "there", "build-1", true);
	write_elf(f, "gone", "build-2", true);
	write_elf(f, "named", "build-3", true);
	there = announce(f, "there", 1000);
	gone = announce(f, "gone", 1000);
	named = announce(f, "named", 1000);
	mapped_file_number(there, true);
	mapped_file_number(gone, true);
	mapped_file_number(named, true);
	mapped_file_symbols(f->t, named, 1000);
	snprintf(path, sizeof(path), "%s/gone", f->dir);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/named", f->dir);
	assert_int_equal(unlink(path), 0);
	file_table_age(f->t, 2000);
	assert_int_equal(nr_open_fds(), fds + 3);
	assert_null(file_table_next_lost(f->t));

	file_table_age(f->t, 4000);
	assert_int_equal(nr_open_fds(), fds + 1);
	assert_ptr_equal(file_table_next_lost(f->t), gone); /* it is said, then it is closed */
	assert_null(file_table_next_lost(f->t));
	assert_int_equal(nr_symbols(f, there, 4000), 2);
	file_table_age(f->t, 5000);
	assert_int_equal(nr_open_fds(), fds + 1); /* `there` was opened again */
	assert_null(file_table_next_lost(f->t));
	assert_null(mapped_file_symbols(f->t, gone, 5000));
	assert_int_equal(gone->miss, SYMBOL_MISS_NO_FILE);
	assert_int_equal(nr_symbols(f, named, 5000), 2);

	file_table_age(f->t, 70000);
	assert_int_equal(nr_open_fds(), fds);
	assert_null(there->symbols);
	assert_int_equal(nr_symbols(f, named, 70000), 2); /* they could not be read again */
	assert_null(mapped_file_symbols(f->t, gone, 70000));
	assert_ptr_equal(file_table_next_lost(f->t), gone); /* it is wanted */
	assert_null(mapped_file_symbols(f->t, gone, 75000));
	assert_null(file_table_next_lost(f->t)); /* not all the time */
}

/* A file that was lost is met again: that is told once only, for its table is made now. */
static void test_found_again(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *m;
	char path[128];
	int fd, fds = nr_open_fds();

	write_elf(f, "gone", "build-1", true);
	m = announce(f, "gone", 1000);
	mapped_file_number(m, true);
	snprintf(path, sizeof(path), "%s/gone", f->dir);
	fd = open_here(path, 0, 0);
	assert_int_equal(unlink(path), 0);
	file_table_age(f->t, 4000);
	assert_ptr_equal(file_table_next_lost(f->t), m);
	file_table_age(f->t, 5000);
	assert_int_equal(nr_open_fds(), fds + 1);
	m->used_ms = 6000;
	mapped_file_set_fd(f->t, m, fd, NULL);
	file_table_age(f->t, 7000);
	assert_null(m->symbols);
	for (uint64_t now_ms = 9000; now_ms < 200000; now_ms += 1000) {
		file_table_age(f->t, now_ms);
		assert_int_equal(nr_open_fds(), fds);
		assert_null(file_table_next_lost(f->t));
	}
	assert_int_equal(nr_symbols(f, m, 200000), 2);
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
	make_table(f, 1); /* no table stays */
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

static bool is_unpacked(struct fixture *f, struct mapped_file *m, uint64_t now_ms)
{
	const struct elf_symbols *s = mapped_file_symbols(f->t, m, now_ms);

	assert_non_null(s);
	return elf_symbols_is_full(s);
}

/* What had to make room is not unpacked again at each lookup, but in a minute. */
static void test_unpacked_that_does_not_fit(void **state)
{
	struct fixture *f = *state;
	struct mapped_file *a, *b, *c, *large;
	uint32_t space;

	make_table(f, 1000 << 10);
	write_packed_elf(f, "a", "build-id-a-000000000", 400 << 10);
	write_packed_elf(f, "b", "build-id-b-000000000", 400 << 10);
	write_packed_elf(f, "c", "build-id-c-000000000", 400 << 10);
	write_packed_elf(f, "large", "build-id-l-000000000", 600 << 10);
	a = get(f, "a", 1000);
	b = get(f, "b", 1000);
	c = get(f, "c", 1000);
	large = get(f, "large", 1000);
	assert_true(is_unpacked(f, a, 1000));
	assert_true(is_unpacked(f, b, 1001));
	assert_true(is_unpacked(f, a, 1002));
	assert_false(is_unpacked(f, large, 1003)); /* more than half */
	assert_true(is_unpacked(f, b, 1004));
	assert_true(is_unpacked(f, c, 2000)); /* the oldest, a, makes room */
	for (int i = 0; i < 10; i++) {
		assert_false(is_unpacked(f, a, 3000 + i));
		assert_true(is_unpacked(f, b, 3000 + i));
		assert_true(is_unpacked(f, c, 3000 + i));
	}
	space = a->space;
	assert_true(is_unpacked(f, c, 60999));
	assert_true(is_unpacked(f, a, 61000)); /* and now b, which may come back at once */
	assert_int_not_equal(a->space, space);
	assert_true(is_unpacked(f, b, 61500));
	assert_false(is_unpacked(f, c, 61600));
	assert_true(is_unpacked(f, c, 62000));
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
		cmocka_unit_test_setup_teardown(test_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_found_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(test_table_forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_bound, setup, teardown),
		cmocka_unit_test_setup_teardown(test_descriptor_bound, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unpacked_that_does_not_fit, setup, teardown),
	};

	return cmocka_run_group_tests_name("mapped_file", tests, NULL, NULL);
}
