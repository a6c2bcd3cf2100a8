// SPDX-License-Identifier: GPL-2.0-or-later
/* Who loses symbol tables to whom: files that are none, whose tables are numbers. */
#include "symbol/loaded_files.h"

#include "symbol/mapped_file.h"
#include "unit/unit.h"

#define MAX_BYTES 1000
#define NR_FILES  200
#define NR_USERS  4 /* the first is the system */

struct world {
	struct loaded_files *loaded;
	struct fair_share *bytes;
	struct mapped_file files[NR_FILES];
	uint64_t held[NR_FILES]; /* bytes of its table; 0: none */
	uint64_t asked[NR_FILES];
	uint64_t now;
};

static uint32_t uid_of(size_t user)
{
	return user ? 1000 + (uint32_t)user : 0;
}

static struct world *world_new(void)
{
	struct world *w = calloc(1, sizeof(*w));

	w->loaded = loaded_files_new();
	w->bytes = fair_share_new(MAX_BYTES);
	for (size_t i = 0; i < NR_FILES; i++)
		w->files[i].uid = uid_of(i % NR_USERS);
	return w;
}

static void world_free(struct world *w)
{
	loaded_files_free(w->loaded);
	fair_share_free(w->bytes);
	free(w);
}

static void unload(struct world *w, size_t i)
{
	fair_share_give(w->bytes, w->files[i].uid, w->held[i]);
	loaded_files_remove(w->loaded, &w->files[i]);
	w->held[i] = 0;
}

static void ask(struct world *w, size_t i)
{
	w->asked[i] = ++w->now;
	loaded_files_put(w->loaded, &w->files[i]);
}

static void load(struct world *w, size_t i, uint64_t bytes)
{
	w->held[i] = bytes;
	fair_share_charge(w->bytes, w->files[i].uid, bytes);
	ask(w, i);
}

/* How many had to go. */
static int keep_bound(struct world *w, size_t except)
{
	struct mapped_file *f;
	int nr = 0;

	while ((f = loaded_files_next_to_go(w->loaded, w->bytes, &w->files[except]))) {
		unload(w, (size_t)(f - w->files));
		nr++;
	}
	return nr;
}

static void one_may_have_all(void **state)
{
	struct world *w = world_new();

	for (size_t i = 0; i < 10; i++)
		load(w, 1 + i * NR_USERS, 100);
	assert_int_equal(keep_bound(w, 1), 0);
	load(w, 1 + 10 * NR_USERS, 100);
	assert_int_equal(keep_bound(w, 1 + 10 * NR_USERS), 1);
	assert_int_equal(w->held[1], 0); /* the longest unasked one */
	/* Others come, and have what is theirs. */
	load(w, 2, 250);
	assert_int_equal(keep_bound(w, 2), 3);
	assert_int_equal(w->held[2], 250);
	load(w, 0, 500);
	assert_int_equal(keep_bound(w, 0), 5);
	assert_int_equal(w->held[0], 500);
	world_free(w);
}

/* A table that is larger than all there may be takes nothing of others within their shares. */
static void a_table_that_is_too_large(void **state)
{
	struct world *w = world_new();

	load(w, 0, 500);
	load(w, 2, 100);
	load(w, 1, 100);
	load(w, 1 + NR_USERS, 5000);
	assert_int_equal(keep_bound(w, 1 + NR_USERS), 1);
	assert_int_equal(w->held[1], 0); /* his own */
	assert_true(w->held[0] && w->held[2] && w->held[1 + NR_USERS]);
	/* It goes when the next one comes, whosever that is. */
	load(w, 2 + NR_USERS, 1);
	assert_int_equal(keep_bound(w, 2 + NR_USERS), 1);
	assert_int_equal(w->held[1 + NR_USERS], 0);
	assert_true(w->held[0] && w->held[2] && w->held[2 + NR_USERS]);
	world_free(w);
}

/* Of each owner: those that were within their shares before a table came and are after. */
static void shares(const struct world *w, bool ret_is_within[NR_USERS])
{
	for (size_t u = 0; u < NR_USERS; u++)
		ret_is_within[u] =
			fair_share_of(w->bytes, uid_of(u)) <= fair_share_bound(w->bytes, uid_of(u));
}

static uint64_t held_by(const struct world *w, size_t user)
{
	uint64_t bytes = 0;

	for (size_t i = user; i < NR_FILES; i += NR_USERS)
		bytes += w->held[i];
	return bytes;
}

static void check_step(const struct world *w, const struct world *before, size_t came)
{
	bool is_within[NR_USERS];

	shares(before, is_within);
	for (size_t u = 0; u < NR_USERS; u++) {
		uint64_t asked_last = 0;

		assert_int_equal(held_by(w, u), fair_share_of(w->bytes, uid_of(u)));
		for (size_t i = u; i < NR_FILES; i += NR_USERS) {
			bool went = before->held[i] && !w->held[i];

			/* Who is within his share keeps it. */
			assert_false(went && is_within[u]);
			if (went && w->asked[i] > asked_last)
				asked_last = w->asked[i];
		}
		/* What went of an owner was asked for before what is left. */
		for (size_t i = u; i < NR_FILES; i += NR_USERS)
			assert_true(!w->held[i] || i == came || w->asked[i] > asked_last);
	}
	assert_int_not_equal(w->held[came], 0);
	assert_true(fair_share_used(w->bytes) <= MAX_BYTES + w->held[came]);
}

static void random_tables(void **state)
{
	struct world *w = world_new(), *before = malloc(sizeof(*before));
	int nr = 0;

	for (int step = 0; step < 20000; step++) {
		/* The first user has far more than the others, one table in a hundred is huge. */
		size_t user = test_random_below(3) ? 1 : test_random_below(NR_USERS);
		size_t i = user + NR_USERS * test_random_below(NR_FILES / NR_USERS);
		struct fair_share *bytes = fair_share_new(MAX_BYTES);

		if (w->held[i])
			ask(w, i);
		else
			load(w, i, 1 + test_random_below(test_random_below(100) ? 100 : 2000));
		*before = *w;
		before->bytes = bytes;
		for (size_t u = 0; u < NR_USERS; u++)
			fair_share_charge(bytes, uid_of(u), held_by(w, u));
		nr += keep_bound(w, i);
		check_step(w, before, i);
		fair_share_free(bytes);
		if (!test_random_below(50))
			unload(w, i);
	}
	assert_true(nr > 1000);
	free(before);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_may_have_all),
		cmocka_unit_test(a_table_that_is_too_large),
		cmocka_unit_test(random_tables),
	};

	return cmocka_run_group_tests_name("loaded_files", tests, NULL, NULL);
}
