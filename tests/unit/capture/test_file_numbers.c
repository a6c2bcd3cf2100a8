// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine whose programs come and go, against a model that keeps everything. */
#include "unit/unit.h"

#include "capture/file_key.h"
#include "sampler_abi.h"
#include "util/mem.h"

static uint64_t nr_compared;

static bool counted_equals(const struct eddy_unwind_key *a, const struct eddy_unwind_key *b)
{
	nr_compared++;
	return file_key_equals(a, b);
}

static bool counted_has_inode(const struct eddy_unwind_key *a, const struct eddy_unwind_key *b)
{
	nr_compared++;
	return file_key_has_inode(a, b);
}

/* Compiled once more, with keys that are compared counted. */
#define file_key_equals	   counted_equals
#define file_key_has_inode counted_has_inode
#include "capture/file_numbers.c"
#undef file_key_equals
#undef file_key_has_inode

#define NR_FILES 40000

struct model {
	struct file_numbers *n;
	bool used[NR_FILES];
	uint32_t number[NR_FILES];    /* 0: none */
	uint32_t owner[NR_FILES * 4]; /* by number: file + 1, also while it rests; 0: free */
	uint32_t highest;
};

static struct eddy_unwind_key key_of(uint32_t file)
{
	/* Two files of one inode: deleted, and made again. */
	return (struct eddy_unwind_key){ .ino = 1 + file / 2, .dev = 5, .gen = file % 2 };
}

static uint32_t file_of(const struct eddy_unwind_key *key)
{
	return (key->ino - 1) * 2 + key->gen;
}

static bool was_used(void *ctx, const struct eddy_unwind_key *key)
{
	struct model *m = ctx;
	bool used = m->used[file_of(key)];

	m->used[file_of(key)] = false;
	return used;
}

static void forget(void *ctx, const struct eddy_unwind_key *key)
{
	struct model *m = ctx;

	assert_int_not_equal(m->number[file_of(key)], 0);
	m->number[file_of(key)] = 0;
}

static void release(void *ctx, uint32_t number)
{
	struct model *m = ctx;

	assert_int_not_equal(m->owner[number], 0);
	m->owner[number] = 0;
}

static void use(struct model *m, uint32_t file, uint64_t now_s)
{
	struct eddy_unwind_key key = key_of(file);
	uint32_t number;
	bool is_new;

	file_numbers_meet(m->n, &key);
	number = file_numbers_get(m->n, &key, now_s, &is_new);
	assert_int_not_equal(number, 0);
	assert_true(number < ARRAY_SIZE(m->owner));
	if (m->number[file]) {
		assert_false(is_new);
		assert_int_equal(number, m->number[file]);
	} else {
		assert_true(is_new);
		/* No other file had it a moment ago. */
		assert_int_equal(m->owner[number], 0);
		m->owner[number] = file + 1;
		m->number[file] = number;
	}
	assert_true(file_numbers_has(m->n, &key, number));
	assert_false(file_numbers_has(m->n, &key, number + 1));
	assert_int_equal(file_of(file_numbers_find(m->n, &key, UINT64_MAX)), file);
	assert_int_equal(file_of(file_numbers_key(m->n, m->number[file])), file);
	m->used[file] = true;
	if (number > m->highest)
		m->highest = number;
}

static void run(struct model *m, uint64_t seconds, uint32_t window, uint32_t files_a_second)
{
	const struct file_numbers_ops ops = { was_used, forget, release, m };

	for (uint64_t now = 0; now < seconds; now++) {
		for (uint32_t i = 0; i < files_a_second; i++)
			use(m, (now * files_a_second / 4 + test_random() % window) % NR_FILES,
			    now + 1000);
		if (file_numbers_is_due(m->n, now + 1000))
			file_numbers_age(m->n, now + 1000, &ops);
		if (now % 10 == 0)
			file_numbers_end_window(m->n);
		assert_true(file_numbers_nr(m->n) <= 16384);
	}
}

static struct model *model_new(void)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->n = file_numbers_new();
	return m;
}

static void model_free(struct model *m)
{
	file_numbers_free(m->n);
	free(m);
}

/* Few files for ever: none is forgotten while it is used, and their numbers stay small. */
static void test_few(void **state)
{
	struct model *m = model_new();

	run(m, 4000, 60, 10);
	assert_true(m->highest < 20000);
	model_free(m);
}

/* 1000 new programs a second, for a day's worth of them. */
static void test_storm(void **state)
{
	struct model *m = model_new();

	run(m, 2000, 2000, 1000);
	assert_true(m->highest < 40000);
	model_free(m);
}

/* What is in use at least once a round keeps its number; what is not, loses it. */
static void test_idle(void **state)
{
	struct model *m = model_new();
	const struct file_numbers_ops ops = { was_used, forget, release, m };
	struct eddy_unwind_key vdso = { .gen = EDDY_VDSO_GEN };
	uint32_t of_vdso, first;
	bool is_new;

	of_vdso = file_numbers_get(m->n, &vdso, 0, &is_new);
	use(m, 1, 0);
	use(m, 2, 0);
	first = m->number[1];
	for (uint64_t now = 0; now < 1000; now++) {
		if (now % 50 == 0)
			use(m, 1, now);
		if (file_numbers_is_due(m->n, now))
			file_numbers_age(m->n, now, &ops);
	}
	assert_int_equal(m->number[1], first);
	assert_int_equal(m->number[2], 0);
	assert_true(file_numbers_has(m->n, &vdso, of_vdso));
	assert_int_equal(file_numbers_nr(m->n), 2);
	model_free(m);
}

static void count_release(void *ctx, uint32_t number)
{
	(*(unsigned int *)ctx)++;
}

static bool is_used(void *ctx, const struct eddy_unwind_key *key)
{
	return true;
}

static void written_again_in_place(void **state)
{
	struct file_numbers *n = file_numbers_new();
	const struct eddy_unwind_key key = key_of(4), other = key_of(6), unknown = key_of(8);
	unsigned int nr_released = 0;
	const struct file_numbers_ops ops = {
		.was_used = is_used, .forget = forget, .release = count_release, .ctx = &nr_released
	};
	bool is_new;
	uint32_t old = file_numbers_get(n, &key, 1, &is_new), now;

	file_numbers_get(n, &other, 1, &is_new);
	file_numbers_renew(n, &unknown);
	file_numbers_renew(n, &key);
	now = file_numbers_get(n, &key, 1, &is_new);
	assert_false(is_new);
	assert_int_not_equal(now, old);
	assert_false(file_numbers_has(n, &key, old));
	assert_true(file_numbers_has(n, &key, now));
	assert_int_equal(file_numbers_nr(n), 2);
	/* The old number rests until a round has passed and the window is over, then it is given
	 * again. */
	assert_int_not_equal(file_numbers_get(n, &unknown, 1, &is_new), old);
	file_numbers_age(n, 100, &ops);
	assert_int_equal(nr_released, 1);
	assert_int_not_equal(
		file_numbers_get(n, &(struct eddy_unwind_key){ .ino = 98 }, 100, &is_new), old);
	file_numbers_end_window(n);
	assert_int_equal(file_numbers_get(n, &(struct eddy_unwind_key){ .ino = 99 }, 100, &is_new),
			 old);
	file_numbers_free(n);
}

/* The number of an inode is given to another file: who met it when is what tells. */
static void test_generations(void **state)
{
	struct file_numbers *n = file_numbers_new();
	const struct eddy_unwind_key inode = { .ino = 7, .dev = 8 };
	struct eddy_unwind_key first = inode, second = inode, snapshot = inode;
	uint64_t before = file_numbers_moment(n), between;
	bool is_new;

	first.gen = 1;
	second.gen = 2;
	snapshot.gen = 1;
	snapshot.inode = 0x1000;
	file_numbers_meet(n, &first);
	file_numbers_get(n, &first, 1, &is_new);
	between = file_numbers_moment(n);
	assert_null(file_numbers_find(n, &inode, before)); /* another may have been there */
	assert_int_equal(file_numbers_find(n, &inode, between)->gen, 1);
	/* Another one was met, and could not be opened: it is not the first. */
	file_numbers_meet(n, &second);
	assert_null(file_numbers_find(n, &inode, between));
	file_numbers_get(n, &second, 1, &is_new);
	assert_null(file_numbers_find(n, &inode, between));
	assert_int_equal(file_numbers_find(n, &inode, file_numbers_moment(n))->gen, 2);
	/* Those that are told apart by address are there at the same time. */
	file_numbers_meet(n, &snapshot);
	assert_int_equal(file_numbers_find(n, &inode, file_numbers_moment(n))->gen, 2);
	file_numbers_free(n);
}

/* One inode is made, executed and removed again and again: each costs what the first one cost. */
static void many_generations(void **state)
{
	enum { NR = 100000, MOST = 64 };
	struct file_numbers *n = file_numbers_new();
	struct eddy_unwind_key key = { .ino = 7, .dev = 8 };
	const struct eddy_unwind_key inode = key;
	bool is_new;

	nr_compared = 0;
	for (uint32_t i = 1; i <= NR; i++) {
		uint64_t before = file_numbers_moment(n);
		uint32_t number;

		key.gen = i;
		file_numbers_meet(n, &key);
		number = file_numbers_get(n, &key, 1, &is_new);
		assert_true(is_new);
		assert_null(file_numbers_find(n, &inode, before));
		assert_int_equal(file_numbers_find(n, &inode, before + 1)->gen, i);
		assert_int_equal(file_numbers_key(n, number)->gen, i);
		assert_true(nr_compared <= (uint64_t)i * MOST + 1000);
	}
	assert_int_equal(file_numbers_nr(n), NR);
	file_numbers_free(n);
}

static bool is_asked_for(void *ctx, const struct eddy_unwind_key *key)
{
	return key->inode == *(uint64_t *)ctx;
}

static void nobody_cares(void *ctx, const struct eddy_unwind_key *key)
{
}

static void nobody_asks(void *ctx, uint32_t number)
{
}

/* Where the inode's address is part of the key, one that is forgotten leaves the others. */
static void told_apart_by_address(void **state)
{
	struct file_numbers *n = file_numbers_new();
	struct eddy_unwind_key key = { .ino = 7, .dev = 8, .gen = 1 };
	uint64_t used = 0x2000;
	const struct file_numbers_ops ops = {
		.was_used = is_asked_for, .forget = nobody_cares, .release = nobody_asks, &used
	};
	bool is_new;

	for (key.inode = 0x1000; key.inode <= 0x3000; key.inode += 0x1000) {
		file_numbers_meet(n, &key);
		file_numbers_get(n, &key, 1, &is_new);
		assert_int_equal(file_numbers_find(n, &key, UINT64_MAX)->inode, key.inode);
	}
	file_numbers_age(n, 1000, &ops);
	assert_int_equal(file_numbers_nr(n), 1);
	assert_int_equal(file_numbers_find(n, &key, UINT64_MAX)->inode, used);
	used = 0;
	file_numbers_age(n, 2000, &ops);
	assert_int_equal(file_numbers_nr(n), 0);
	assert_null(file_numbers_find(n, &key, UINT64_MAX));
	file_numbers_free(n);
}

/* All numbers are given: that is counted, and ends when some come back. */
static void no_number_is_left(void **state)
{
	struct file_numbers *n = file_numbers_new();
	const struct eddy_unwind_key one = { .ino = 1 }, two = { .ino = 2 };
	const struct file_numbers_ops ops = { .was_used = is_asked_for,
					      .forget = nobody_cares,
					      .release = nobody_asks,
					      &(uint64_t){ 1 } };
	bool is_new;
	uint32_t number;

	n->last = EDDY_FRAME_FILE_MASK - 1;
	number = file_numbers_get(n, &one, 1, &is_new);
	assert_int_equal(number, EDDY_FRAME_FILE_MASK);
	assert_int_equal(file_numbers_nr_refused(n), 0);
	assert_int_equal(file_numbers_get(n, &two, 1, &is_new), 0);
	assert_int_equal(file_numbers_nr_refused(n), 1);
	file_numbers_renew(n, &one); /* written in place: it stays what it was */
	assert_int_equal(file_numbers_number(n, &one), number);
	assert_int_equal(file_numbers_nr_refused(n), 2);
	file_numbers_age(n, 1000, &ops);
	file_numbers_age(n, 2000, &ops);
	file_numbers_end_window(n);
	assert_int_equal(file_numbers_get(n, &two, 2000, &is_new), number);
	assert_int_equal(file_numbers_nr_refused(n), 2);
	file_numbers_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generations),
		cmocka_unit_test(written_again_in_place),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(many_generations),
		cmocka_unit_test(told_apart_by_address),
		cmocka_unit_test(no_number_is_left),
	};

	return cmocka_run_group_tests_name("file_numbers", tests, NULL, NULL);
}
