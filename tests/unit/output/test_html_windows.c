// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows that share slots: no sample is lost, and what is known of each adds up. */
#include "unit/unit.h"

#include <stdlib.h>

#include "output/html_windows.h"
#include "util/mem.h"

#define NR 300

static uint64_t sum_cells(const struct html_windows *w, size_t slot)
{
	size_t at = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < slot; i++)
		at += w->slots[i].nr_cells;
	for (size_t i = 0; i < w->slots[slot].nr_cells; i++)
		sum += w->cells[at + i].count;
	return sum;
}

/* Random windows, the last ones of two hosts each; kept is what the stacks add up to. */
static void fill(struct html_windows *w, uint64_t *kept)
{
	for (size_t i = 0; i < NR; i++) {
		_cleanup_profile_ struct profile *p = profile_new(profile_frames(w->stacks));
		struct html_slot about = { .start_s =
						   1000 + 60 * (int64_t)(i < 200 ? i : i / 2 * 2),
					   .seconds = 60,
					   .nr_windows = 1,
					   .due = 7 };
		bool is_base[64] = { false };

		for (int k = 0; k < 20; k++) {
			char name[] = { 'a' + test_random_below(20), '\0' };
			frame_id f = frame_table_add_text(profile_frames(p), name, 1);

			profile_add(p, profile_child(p, k % 2, f), test_random_below(5));
		}
		about.kept = profile_total(p);
		*kept += about.kept;
		assert_int_equal(html_windows_add(w, &about, p, is_base), 0);
	}
}

static void expect_sums(const struct html_windows *w, uint64_t kept)
{
	uint64_t due = 0, nr_windows = 0, all = 0;

	for (size_t s = 0; s < w->nr; s++) {
		assert_int_equal(sum_cells(w, s), w->slots[s].kept);
		due += w->slots[s].due;
		nr_windows += w->slots[s].nr_windows;
		all += w->slots[s].kept;
		if (s)
			assert_true(w->slots[s].start_s > w->slots[s - 1].start_s);
	}
	assert_int_equal(nr_windows, NR);
	assert_int_equal(due, NR * 7);
	assert_int_equal(all, kept);
	assert_int_equal(profile_total(w->stacks), kept);
}

static void test_room(void **state)
{
	static const size_t rooms[][2] = {
		{ 1 << 20, 1000 }, { 500, 1000 }, { 1 << 20, 16 }, { 1, 1 }
	};

	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
		_cleanup_html_windows_ struct html_windows *w =
			html_windows_new(rooms[i][0], rooms[i][1]);
		uint64_t kept = 0;

		fill(w, &kept);
		expect_sums(w, kept);
		assert_true(w->nr <= rooms[i][1]);
		assert_true(w->nr == 1 || w->nr_cells <= rooms[i][0]);
	}
}

/* Windows of two hosts at one time are one slot, of as many as there are. */
static void test_hosts(void **state)
{
	_cleanup_html_windows_ struct html_windows *w = html_windows_new(1 << 20, 1000);
	uint64_t kept = 0;

	fill(w, &kept);
	assert_int_equal(w->per_slot, 1);
	assert_int_equal(w->nr, 250);
	assert_int_equal(w->slots[249].nr_windows, 2);
	assert_int_equal(w->slots[249].seconds, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_hosts),
	};

	return cmocka_run_group_tests_name("html_windows", tests, NULL, NULL);
}
