// SPDX-License-Identifier: GPL-2.0-or-later
/* How often a file that cannot be opened is asked for. */
#include "capture/refused_files.h"

#include <stdbool.h>
#include <string.h>

#include "unit/unit.h"

#define SECOND 1000000000ull

/* Files that rest, as the sampler has them. */
static struct {
	bool rests[1000];
	unsigned int nr_again;
} sampler;

static struct eddy_unwind_key key_of(unsigned int file)
{
	return (struct eddy_unwind_key){ .ino = file, .dev = 7 };
}

static void again(void *ctx, const struct eddy_unwind_key *key)
{
	assert_true(sampler.rests[key->ino]);
	sampler.rests[key->ino] = false;
	sampler.nr_again++;
}

static void refuse(struct refused_files *r, unsigned int file, bool is_chance, uint64_t now_ns)
{
	struct eddy_unwind_key key = key_of(file);

	sampler.rests[file] = refused_files_add(r, &key, is_chance, now_ns);
}

static struct refused_files *begin(void)
{
	memset(&sampler, 0, sizeof(sampler));
	return refused_files_new(again, NULL);
}

/* Sampled all the time for ten minutes: asked for every half minute in the end. */
static void asked_for_less_and_less(void **state)
{
	struct refused_files *r = begin();
	unsigned int nr_asked = 0;

	for (uint64_t now = SECOND; now < 600 * SECOND; now += SECOND / 100) {
		if (!sampler.rests[1]) {
			refuse(r, 1, false, now);
			assert_true(sampler.rests[1]);
			nr_asked++;
		}
		refused_files_poll(r, now);
	}
	assert_in_range(nr_asked, 20, 24);
	refused_files_free(r);
}

static void once_opened_all_is_new(void **state)
{
	struct refused_files *r = begin();
	struct eddy_unwind_key key = key_of(1);

	refuse(r, 1, false, SECOND);
	refuse(r, 2, false, SECOND);
	assert_int_equal(refused_files_poll(r, 2 * SECOND), 2);
	refuse(r, 1, false, 2 * SECOND);
	refused_files_remove(r, &key);
	assert_int_equal(refused_files_poll(r, 100 * SECOND), 0);
	refuse(r, 1, false, 100 * SECOND);
	assert_int_equal(refused_files_poll(r, 101 * SECOND - 1), 0);
	assert_int_equal(refused_files_poll(r, 101 * SECOND), 1);
	refused_files_free(r);
}

/* Another file was in its place: that is asked again at once, but not for ever. */
static void chance(void **state)
{
	struct refused_files *r = begin();
	unsigned int nr = 0;

	do {
		refuse(r, 1, true, SECOND);
		nr++;
	} while (!sampler.rests[1]);
	assert_in_range(nr, 3, 10);
	refuse(r, 2, false, SECOND);
	assert_true(sampler.rests[2]);
	refused_files_free(r);
}

/* More than are noted: none rests for ever, and none that rests is told of twice. */
static void many(void **state)
{
	struct refused_files *r = begin();
	unsigned int nr_added = 0;

	for (uint64_t now = SECOND; now < 200 * SECOND; now += SECOND / 50) {
		unsigned int file = test_random_below(1000);

		if (!sampler.rests[file]) {
			refuse(r, file, test_random() & 1, now);
			nr_added += sampler.rests[file];
		}
		refused_files_poll(r, now);
	}
	refused_files_poll(r, 1000 * SECOND);
	assert_int_equal(sampler.nr_again, nr_added);
	for (unsigned int i = 0; i < 1000; i++)
		assert_false(sampler.rests[i]);
	refused_files_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked_for_less_and_less),
		cmocka_unit_test(once_opened_all_is_new),
		cmocka_unit_test(chance),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests_name("refused_files", tests, NULL, NULL);
}
