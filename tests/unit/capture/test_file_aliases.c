// SPDX-License-Identifier: GPL-2.0-or-later
/* From what /proc/PID/maps prints to the sampler's key. */
#include "capture/file_aliases.h"

#include "unit/unit.h"
#include "util/mem.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found),
		cmocka_unit_test(what_is_forgotten_is_not_found),
		cmocka_unit_test(two_files_of_one_name_are_none),
	};

	return cmocka_run_group_tests_name("file_aliases", tests, NULL, NULL);
}
