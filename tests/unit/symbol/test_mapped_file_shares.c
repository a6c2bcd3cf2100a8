// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of users who mean harm to others: forged build ids, tables that take long to unpack. */
#include "unit/symbol/mapped_files.h"

#define MAX_BYTES (1 << 20)
#define PACKED	  (400 << 10)

/* A library of the same build id whose functions have other names, where one is known already. */
static void a_build_id_proves_nothing(void **state)
{
	static const struct made_symbol forged[] = {
		{ "forged", 0x5000, 16, STT_FUNC, STB_GLOBAL, 0 },
		{ "forged_too", 0x5010, 16, STT_FUNC, STB_GLOBAL, 0 },
	};
	struct made_elf m = { .text_vaddr = 0x5000,
			      .text_bytes = 0x100,
			      .build_id = "build-1",
			      .symtab = forged,
			      .nr_symtab = 2 };
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT, bytes = elf_make(&m);
	struct mapped_file *theirs, *ours, *copy;
	struct fixture *f = *state;
	char path[128];
	FILE *to;

	write_elf(f, "ours", "build-1", true);
	write_elf(f, "copy", "build-1", true);
	snprintf(path, sizeof(path), "%s/theirs", f->dir);
	to = fopen(path, "w");
	assert_int_equal(fwrite(bytes.bytes, 1, bytes.len, to), bytes.len);
	fclose(to);
	theirs = get(f, "theirs", 0);
	ours = get(f, "ours", 0);
	copy = get(f, "copy", 0);
	assert_int_equal(elf_symbols_name(mapped_file_symbols(f->t, theirs, 1), 0x5010, &name), 0);
	assert_string_equal(name.bytes, "forged_too");
	strbuf_reset(&name);
	assert_int_equal(elf_symbols_name(mapped_file_symbols(f->t, ours, 1), 0x5010, &name), 0);
	assert_string_equal(name.bytes, "private");
	/* A true copy does share. */
	assert_ptr_equal(mapped_file_symbols(f->t, copy, 1), mapped_file_symbols(f->t, ours, 1));
}

/* Not those of another user; and a copy that is alone again still has its table. */
static void copies_are_shared_by_user(void **state)
{
	struct mapped_file *ours, *copy, *theirs;
	struct fixture *f = *state;
	size_t one;

	write_elf(f, "ours", "build-1", true);
	write_elf(f, "copy", "build-1", true);
	write_elf(f, "theirs", "build-1", true);
	ours = get(f, "ours", 0);
	copy = get(f, "copy", 0);
	theirs = get(f, "theirs", 0);
	theirs->uid = ours->uid + 1;
	one = file_table_bytes(f->t);
	assert_non_null(mapped_file_symbols(f->t, ours, 1));
	one = file_table_bytes(f->t) - one;
	assert_ptr_not_equal(mapped_file_symbols(f->t, theirs, 1),
			     mapped_file_symbols(f->t, ours, 1));
	assert_ptr_equal(mapped_file_symbols(f->t, copy, 1), mapped_file_symbols(f->t, ours, 1));
	for (int round = 0; round < 3; round++) {
		size_t before = file_table_bytes(f->t);

		write_elf_at(f, round % 2 ? "copy" : "ours", "build-2", false, 100 + round);
		mapped_file_symbols(f->t, round % 2 ? copy : ours, 5000 * (round + 1));
		assert_true(file_table_bytes(f->t) <= before + one);
		assert_int_equal(nr_symbols(f, theirs, 5000 * (round + 1)), 2);
		assert_int_equal(nr_symbols(f, round % 2 ? ours : copy, 5000 * (round + 1)),
				 round ? 1 : 2);
	}
}

/* At a capture's end: what is read already stays, and the system's files are read. */
static void users_files_are_read_until_the_end(void **state)
{
	struct mapped_file *early, *late, *ours;
	struct limit_counts limits = { 0 };
	struct fixture *f = *state;

	write_elf(f, "early", "build-1", true);
	write_elf(f, "late", "build-2", true);
	write_elf(f, "ours", "build-3", true);
	early = get(f, "early", 1000);
	late = get(f, "late", 1000);
	ours = get(f, "ours", 1000);
	early->uid = late->uid = 5000;
	ours->uid = 0;
	file_table_end_by(f->t, 2000);
	assert_int_equal(nr_symbols(f, early, 1999), 2);
	assert_null(mapped_file_symbols(f->t, late, 2000));
	assert_int_equal(late->miss, SYMBOL_MISS_UNPARSED);
	assert_int_equal(nr_symbols(f, early, 2000), 2);
	assert_int_equal(nr_symbols(f, ours, 2000), 2);
	file_table_add_limits(f->t, &limits);
	assert_int_equal(limits.nr[LIMIT_UNPARSED], 1);
}

static bool is_unpacked(struct fixture *f, struct mapped_file *m, uint64_t now_ms)
{
	return !elf_symbols_has_left_out(mapped_file_symbols(f->t, m, now_ms));
}

/* The n-th file of a user, a packed one. */
static struct mapped_file *packed(struct fixture *f, uint32_t uid, int n, uint64_t now_ms)
{
	char name[32], build_id[32];
	struct mapped_file *m;

	snprintf(name, sizeof(name), "%u-%d", uid, n);
	snprintf(build_id, sizeof(build_id), "build-%u-%d", uid, n);
	write_packed_elf(f, name, build_id, PACKED);
	m = get(f, name, now_ms);
	m->uid = uid;
	return m;
}

/* However many files a user has: in a minute so many bytes, and others unpack theirs. */
static void unpacking_is_shared(void **state)
{
	struct fixture *f = *state;
	struct limit_counts limits = { 0 };
	int nr = 0;

	make_table(f, MAX_BYTES);
	for (int i = 0; i < 12; i++)
		nr += is_unpacked(f, packed(f, 3000, i, 1000), 1000);
	assert_in_range(nr, 3, 6); /* a half of 4 MiB, and the last one begins within it */
	file_table_add_limits(f->t, &limits);
	assert_int_equal(limits.nr[LIMIT_UNPACKED], 12 - nr);
	assert_true(is_unpacked(f, packed(f, 0, 0, 2000), 2000));
	assert_true(is_unpacked(f, packed(f, 3001, 0, 2000), 2000));
	/* A minute is over: they have some more. */
	assert_true(is_unpacked(f, packed(f, 3000, 99, 70000), 70000));
}

/* The n-th file of a user, with some 400 bytes of symbols. */
static struct mapped_file *plain(struct fixture *f, uint32_t uid, int n)
{
	char name[32], build_id[32];
	struct mapped_file *m;

	snprintf(name, sizeof(name), "%u-%d", uid, n);
	snprintf(build_id, sizeof(build_id), "build-%u-%d", uid, n);
	write_elf(f, name, build_id, true);
	m = get(f, name, 1000 + n);
	m->uid = uid;
	assert_non_null(mapped_file_symbols(f->t, m, 1000 + n));
	return m;
}

/* However many files a user has: the tables of others stay, and those of the system. */
static void thousands_of_files_of_a_user(void **state)
{
	enum { NR_FILES = 2000, NR_OTHERS = 6 };
	struct mapped_file *others[NR_OTHERS];
	struct fixture *f = *state;
	struct limit_counts limits = { 0 };

	make_table(f, 16 << 10);
	for (int i = 0; i < NR_OTHERS; i++)
		others[i] = plain(f, i % 2 ? 3001 : 0, i);
	for (int i = 0; i < NR_FILES; i++) {
		mapped_file_put(plain(f, 3000, i));
		for (int k = 0; k < NR_OTHERS; k++)
			assert_non_null(others[k]->symbols);
	}
	file_table_add_limits(f->t, &limits);
	assert_in_range(limits.nr[LIMIT_SYMBOLS], NR_FILES - 100, NR_FILES);
	/* He gives way when others need more, the others to nobody. */
	for (int i = 0; i < 10; i++)
		others[i % NR_OTHERS] = plain(f, 0, 100 + i);
	for (int k = 0; k < NR_OTHERS; k++)
		assert_non_null(others[k]->symbols);
}

/* A machine that runs many programs has met no bound that somebody has to hear of. */
static void files_of_the_system(void **state)
{
	struct fixture *f = *state;
	struct limit_counts limits = { 0 };
	struct mapped_file *first;

	make_table(f, 16 << 10);
	first = plain(f, 0, 0);
	for (int i = 1; i < 200; i++)
		mapped_file_put(plain(f, 0, i));
	assert_null(first->symbols);
	file_table_add_limits(f->t, &limits);
	assert_int_equal(limits.nr[LIMIT_SYMBOLS], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_build_id_proves_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(copies_are_shared_by_user, setup, teardown),
		cmocka_unit_test_setup_teardown(users_files_are_read_until_the_end, setup,
						teardown),
		cmocka_unit_test_setup_teardown(unpacking_is_shared, setup, teardown),
		cmocka_unit_test_setup_teardown(thousands_of_files_of_a_user, setup, teardown),
		cmocka_unit_test_setup_teardown(files_of_the_system, setup, teardown),
	};

	return cmocka_run_group_tests_name("mapped_file_shares", tests, NULL, NULL);
}
