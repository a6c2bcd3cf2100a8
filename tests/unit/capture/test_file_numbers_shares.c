// SPDX-License-Identifier: GPL-2.0-or-later
/* One user maps more files than there are numbers for; others keep theirs. */
#include "unit/unit.h"

#include "capture/file_numbers.h"
#include "util/mem.h"

#define NR_FILES 20000
#define SHARE	 6144 /* half of what is shared: there is one user */

struct world {
	struct file_numbers *n;
	uint64_t nr_forgotten;
};

static struct eddy_unwind_key key_of(uint32_t file)
{
	return (struct eddy_unwind_key){ .ino = 1 + file, .dev = 5, .gen = 1 };
}

static bool was_used(void *ctx, const struct eddy_unwind_key *key)
{
	return true;
}

static void forget(void *ctx, const struct eddy_unwind_key *key)
{
	struct world *w = ctx;

	w->nr_forgotten++;
}

static void release(void *ctx, uint32_t number)
{
}

static uint64_t own(struct world *w, uint32_t file, owner_id owner)
{
	const struct file_numbers_ops ops = { was_used, forget, release, w };
	const struct eddy_unwind_key key = key_of(file);
	bool is_new;

	assert_int_not_equal(file_numbers_get(w->n, &key, 1, &is_new), 0);
	return file_numbers_own(w->n, &key, owner, &ops);
}

static bool is_known(struct world *w, uint32_t file)
{
	const struct eddy_unwind_key key = key_of(file);

	return file_numbers_number(w->n, &key);
}

/* Files of the system and of another user stay; of one's own, the first that came go. */
static void one_user_has_too_many(void **state)
{
	struct world w = { .n = file_numbers_new() };
	uint64_t nr_told = 0;

	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(own(&w, i, OWNER_SYSTEM), 0);
	for (uint32_t i = 0; i < NR_FILES; i++) {
		nr_told += own(&w, 1000 + i, 1000);
		assert_true(is_known(&w, 1000 + i));
		assert_true(file_numbers_nr(w.n) <= 1000 + SHARE);
	}
	/* Each once at most: forgetting is in proportion to what came. */
	assert_int_equal(nr_told, w.nr_forgotten);
	assert_true(w.nr_forgotten < NR_FILES);
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(is_known(&w, i));
	for (uint32_t i = 0; i < 500; i++)
		own(&w, 40000 + i, 1001);
	for (uint32_t i = 0; i < 500; i++)
		assert_true(is_known(&w, 40000 + i));
	file_numbers_free(w.n);
}

static bool was_not_used(void *ctx, const struct eddy_unwind_key *key)
{
	return false;
}

/* What is forgotten by its age is given back to its owner too. */
static void age_gives_back(void **state)
{
	struct world w = { .n = file_numbers_new() };
	const struct file_numbers_ops ops = { was_not_used, forget, release, &w };

	for (uint64_t round = 1; round <= 5; round++) {
		for (uint32_t i = 0; i < SHARE; i++)
			assert_int_equal(own(&w, i, 1000), 0);
		file_numbers_age(w.n, round * 1000, &ops);
		assert_int_equal(w.nr_forgotten, round * SHARE);
	}
	file_numbers_free(w.n);
}

/* A file is charged once, however often it is told of. */
static void a_file_is_charged_once(void **state)
{
	struct world w = { .n = file_numbers_new() };

	for (int round = 0; round < 3; round++)
		for (uint32_t i = 0; i < SHARE; i++)
			assert_int_equal(own(&w, i, 1000), 0);
	assert_int_not_equal(own(&w, SHARE, 1000), 0);
	file_numbers_free(w.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_user_has_too_many),
		cmocka_unit_test(age_gives_back),
		cmocka_unit_test(a_file_is_charged_once),
	};

	return cmocka_run_group_tests_name("file_shares", tests, NULL, NULL);
}
