// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of files: what each of them leads to, and which one a lost file is told by. */
#include "symbol/numbered_files.h"

#include "unit/symbol/mapped_files.h"

/* Stamped as a file that the sampler met: without a process that maps it. */
static void give(struct fixture *f, struct numbered_files *n, uint32_t number, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	numbered_files_add(n, number, &(struct met_file){ .fd = fd, .path = path }, 1000);
}

static void lose(struct fixture *f, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	assert_int_equal(unlink(path), 0);
	file_table_age(f->t, 2000);
	file_table_age(f->t, 6000);
}

static void test_numbers(void **state)
{
	struct fixture *f = *state;
	struct numbered_files *n = numbered_files_new(f->t);
	const struct mapped_file *one;

	write_elf(f, "one", "build-1", true);
	write_elf(f, "two", "build-2", true);
	assert_null(numbered_files_find(n, 1));
	give(f, n, 1, "one");
	give(f, n, 2, "two");
	one = numbered_files_find(n, 1);
	assert_non_null(one);
	assert_ptr_not_equal(one, numbered_files_find(n, 2));
	assert_int_equal(one->refs, 1);
	give(f, n, 1, "one"); /* the same again */
	assert_ptr_equal(numbered_files_find(n, 1), one);
	assert_int_equal(one->refs, 1);
	assert_int_equal(one->nr_numbers, 1);
	give(f, n, 1, "two");
	assert_int_equal(one->refs, 0);
	assert_ptr_equal(numbered_files_find(n, 1), numbered_files_find(n, 2));
	numbered_files_remove(n, 1);
	numbered_files_remove(n, 1);
	assert_null(numbered_files_find(n, 1));
	assert_int_equal(numbered_files_find(n, 2)->nr_numbers, 1);
	numbered_files_age(n);
	numbered_files_free(n);
}

/* A lost file is told by a number that it still has: the last, else another one, else by none. */
static void test_lost(void **state)
{
	struct fixture *f = *state;
	struct numbered_files *n = numbered_files_new(f->t);

	write_elf(f, "one", "build-1", true);
	write_elf(f, "two", "build-2", true);
	give(f, n, 7, "one");
	give(f, n, 8, "one");
	lose(f, "one");
	assert_int_equal(numbered_files_next_lost(n), 8);
	assert_int_equal(numbered_files_next_lost(n), 0);

	give(f, n, 5, "two");
	give(f, n, 6, "two");
	numbered_files_remove(n, 6);
	lose(f, "two");
	assert_int_equal(numbered_files_next_lost(n), 5);
	assert_int_equal(numbered_files_next_lost(n), 0);
	numbered_files_free(n);
}

/* In whichever order numbers come and go: a file that has some knows one, the last it was given. */
static void random_numbers(void **state)
{
	enum { NR_FILES = 3, NR_NUMBERS = 9 };
	static const char *const names[NR_FILES] = { "one", "two", "three" };
	struct fixture *f = *state;
	struct numbered_files *n = numbered_files_new(f->t);
	struct mapped_file *files[NR_FILES];
	int given[NR_NUMBERS + 1] = { 0 }, file_of[NR_NUMBERS + 1] = { 0 };

	for (int i = 0; i < NR_FILES; i++) {
		write_elf(f, names[i], names[i], true);
		files[i] = get(f, names[i], 1000);
	}
	for (int step = 1; step < 3000; step++) {
		uint32_t number = 1 + test_random_below(NR_NUMBERS);
		int file = test_random_below(NR_FILES);

		given[number] = test_random_below(2) ? step : 0;
		file_of[number] = file;
		if (given[number])
			give(f, n, number, names[file]);
		else
			numbered_files_remove(n, number);
		for (int i = 0; i < NR_FILES; i++) {
			uint32_t last = 0;

			for (uint32_t k = 1; k <= NR_NUMBERS; k++)
				if (given[k] && file_of[k] == i &&
				    (!last || given[k] > given[last]))
					last = k;
			assert_int_equal(files[i]->number, last);
		}
	}
	numbered_files_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(random_numbers, setup, teardown),
	};

	return cmocka_run_group_tests_name("numbered_files", tests, NULL, NULL);
}
