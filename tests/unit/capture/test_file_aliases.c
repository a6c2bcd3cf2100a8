// SPDX-License-Identifier: GPL-2.0-or-later
/* From what /proc/PID/maps prints to the sampler's key. */
#include "unit/unit.h"

#include "capture/file_key.h"
#include "util/mem.h"

static uint64_t nr_compared;

static bool counted_has_inode(const struct eddy_unwind_key *a, const struct eddy_unwind_key *b)
{
	nr_compared++;
	return file_key_has_inode(a, b);
}

/* Compiled once more, with keys that are compared counted. */
#define file_key_has_inode counted_has_inode
#include "capture/file_aliases.c"
#undef file_key_has_inode

#define NR_FILES 5000

static struct eddy_unwind_key shown_of(uint32_t file)
{
	return (struct eddy_unwind_key){ .ino = file, .dev = 0x27 };
}

static struct eddy_unwind_key key_of(uint32_t file)
{
	return (struct eddy_unwind_key){ .ino = file * 7, .dev = 254 << 20, .gen = file };
}

static void add(struct file_aliases *a, uint32_t file)
{
	struct eddy_unwind_key shown = shown_of(file), key = key_of(file);

	file_aliases_add(a, &shown, &key);
}

static const struct eddy_unwind_key *find(const struct file_aliases *a, uint32_t file)
{
	struct eddy_unwind_key shown = shown_of(file);

	return file_aliases_find(a, &shown);
}

static void each_is_found(void **state)
{
	struct file_aliases *a = file_aliases_new();

	assert_null(find(a, 1));
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= NR_FILES; i++)
			add(a, i);
	assert_int_equal(file_aliases_nr(a), NR_FILES);
	for (uint32_t i = 1; i <= NR_FILES; i++) {
		assert_int_equal(find(a, i)->ino, key_of(i).ino);
		assert_int_equal(find(a, i)->gen, i);
	}
	assert_null(find(a, NR_FILES + 1));
	file_aliases_free(a);
}

static bool is_third(void *ctx, const struct eddy_unwind_key *key)
{
	return key->gen % 3 == 0;
}

static bool is_no_copy(void *ctx, const struct eddy_unwind_key *key)
{
	return key->gen != 99;
}

static void what_is_forgotten_is_not_found(void **state)
{
	struct file_aliases *a = file_aliases_new();

	for (uint32_t i = 1; i <= NR_FILES; i++)
		add(a, i);
	file_aliases_age(a, is_third, NULL);
	assert_int_equal(file_aliases_nr(a), NR_FILES / 3);
	for (uint32_t i = 1; i <= NR_FILES; i++)
		assert_int_equal(find(a, i) != NULL, i % 3 == 0);
	file_aliases_free(a);
}

/* A file that was copied to the upper layer is shown as before, and which is meant nobody knows. */
static void two_files_of_one_name_are_none(void **state)
{
	struct file_aliases *a = file_aliases_new();
	struct eddy_unwind_key shown = shown_of(1), copy = { .ino = 9, .dev = 3, .gen = 99 };

	add(a, 1);
	add(a, 2);
	file_aliases_add(a, &shown, &copy);
	assert_null(find(a, 1));
	assert_non_null(find(a, 2));
	file_aliases_age(a, is_no_copy, NULL);
	assert_int_equal(find(a, 1)->gen, 1);
	file_aliases_free(a);
}

/* One inode that is many files in turn: each costs what the first one cost. */
static void many_generations(void **state)
{
	enum { NR = 100000, MOST = 64 };
	struct file_aliases *a = file_aliases_new();
	struct eddy_unwind_key shown = shown_of(1), key = key_of(1);

	nr_compared = 0;
	for (key.gen = 1; key.gen <= NR; key.gen++) {
		file_aliases_add(a, &shown, &key);
		assert_int_equal(file_aliases_find(a, &shown) != NULL, key.gen == 1);
		assert_true(nr_compared <= (uint64_t)key.gen * MOST + 1000);
	}
	assert_int_equal(file_aliases_nr(a), NR);
	file_aliases_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found),
		cmocka_unit_test(what_is_forgotten_is_not_found),
		cmocka_unit_test(two_files_of_one_name_are_none),
		cmocka_unit_test(many_generations),
	};

	return cmocka_run_group_tests_name("file_aliases", tests, NULL, NULL);
}
