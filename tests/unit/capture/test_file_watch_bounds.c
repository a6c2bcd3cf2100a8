// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * More files than can be watched: whose are, what that costs, and that it is counted.  The kernel
 * never hears of these watches.
 */
#include <errno.h>

#include "capture/file_key.h"
#include "unit/unit.h"

static uint64_t nr_compared;

static bool counted_equals(const struct eddy_unwind_key *a, const struct eddy_unwind_key *b)
{
	nr_compared++;
	return file_key_equals(a, b);
}

/* Compiled once more, with keys that are compared counted. */
#define file_key_equals counted_equals
#include "capture/file_watch.c"
#undef file_key_equals

#define NR_FILES 12288 /* of one user */

static struct eddy_unwind_key key_of(uint32_t file)
{
	return (struct eddy_unwind_key){ .ino = file + 1, .dev = 8, .gen = file };
}

static void put(struct file_watch *w, uint32_t file, unsigned int queue, int watch)
{
	const struct eddy_unwind_key key = key_of(file);

	file_watch_put(w, &key, queue, watch);
}

/* Is the file watched? It counts as removed afterwards. */
static bool take(struct file_watch *w, uint32_t file)
{
	const struct eddy_unwind_key key = key_of(file);
	size_t before = file_watch_nr(w);

	file_watch_remove(w, &key);
	return file_watch_nr(w) < before;
}

/* Thousands of files come and go in another order: each costs what one does that is alone. */
static void many_go(void **state)
{
	enum { MOST = 16 };
	struct file_watch *w = file_watch_new();

	nr_compared = 0;
	for (uint32_t i = 0; i < NR_FILES; i++)
		put(w, i, 3, (int)i + 1);
	for (uint32_t i = 0; i < NR_FILES; i++)
		assert_true(take(w, i * 7919 % NR_FILES));
	assert_int_equal(file_watch_nr(w), 0);
	assert_int_equal(file_watch_nr_refused(w), 0);
	assert_true(nr_compared <= (uint64_t)NR_FILES * MOST);
	for (uint32_t i = 0; i < NR_FILES; i++)
		assert_false(take(w, i));
	assert_true(nr_compared <= (uint64_t)NR_FILES * MOST);
	file_watch_fit(w);
	file_watch_free(w);
}

/* However many a user has: those of the system and of others are watched all the same. */
static void a_user_with_too_many(void **state)
{
	enum { NR = 60000, NR_OTHERS = 1000 };
	struct file_watch *w = file_watch_new();

	for (uint32_t i = 0; i < NR_OTHERS; i++)
		put(w, NR + i, i % 2 ? FILE_WATCH_SYSTEM : 2, (int)i + 1);
	for (uint32_t i = 0; i < NR; i++) {
		put(w, i, 3, (int)i + 1);
		assert_true(file_watch_nr(w) <= MAX_WATCHES);
	}
	assert_int_equal(file_watch_nr(w) + file_watch_nr_refused(w), NR + NR_OTHERS);
	assert_true(file_watch_nr(w) >= MAX_WATCHES / 2);
	assert_true(take(w, NR - 1)); /* the newest of his */
	assert_false(take(w, 0));
	for (uint32_t i = 0; i < NR_OTHERS; i++)
		assert_true(take(w, NR + i));
	file_watch_free(w);
}

/* The kernel has no watch left: that is counted, and who has most gives some back. */
static void the_kernel_has_none_left(void **state)
{
	struct file_watch *w = file_watch_new();
	size_t nr;

	put(w, 0, FILE_WATCH_SYSTEM, -ENOSPC);
	put(w, 1, 3, -EACCES);
	assert_int_equal(file_watch_nr_refused(w), 1);
	for (uint32_t i = 0; i < 1000; i++)
		put(w, i, 3, (int)i + 1);
	put(w, 2000, 3, -ENOSPC);
	assert_int_equal(file_watch_nr(w), 1000); /* of others he takes, not of himself */
	put(w, 2001, FILE_WATCH_SYSTEM, -ENOSPC);
	nr = file_watch_nr(w);
	assert_in_range(nr, 400, 600);
	assert_int_equal(file_watch_nr_refused(w), 3 + 1000 - nr);
	/* It has half of them by now. */
	for (uint32_t i = 0; i < nr; i++)
		put(w, 3000 + i, FILE_WATCH_SYSTEM, (int)i + 1);
	put(w, 4000, FILE_WATCH_SYSTEM, -ENOSPC);
	assert_int_equal(file_watch_nr(w), 2 * nr);
	file_watch_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_go),
		cmocka_unit_test(a_user_with_too_many),
		cmocka_unit_test(the_kernel_has_none_left),
	};

	return cmocka_run_group_tests_name("file_watch_bounds", tests, NULL, NULL);
}
