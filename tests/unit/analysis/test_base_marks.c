// SPDX-License-Identifier: GPL-2.0-or-later
/* First frames of text and marks are told from functions by where they stand. */
#include "unit/unit.h"

#include "analysis/base_marks.h"
#include "unit/analysis/stacks.h"

static frame_id frame_of(const struct profile *p, node_id n)
{
	return profile_frame(p, n);
}

static void test_places(void **state)
{
	__attribute__((cleanup(stacks_deinit))) struct stacks s;
	_cleanup_profile_ struct profile *out = NULL;
	const struct profile *in;
	const struct frame_table *frames;

	stacks_make(&s, "mkdir;main;mkdir 5 [softirq];f 2 ls;[truncated];main 1");
	in = s.profile;
	out = profile_mark_bases(in, 1);
	frames = profile_frames(out);
	assert_int_equal(profile_nr_nodes(out), profile_nr_nodes(in));
	assert_int_equal(profile_total(out), profile_total(in));
	/* mkdir;main;mkdir: the first is the process, the third the function. */
	assert_true(frame_is_base(frames, frame_of(out, 1)));
	assert_false(frame_is_base(frames, frame_of(out, 2)));
	assert_false(frame_is_base(frames, frame_of(out, 3)));
	assert_true(frame_of(out, 1) != frame_of(out, 3));
	assert_true(frame_of(in, 1) == frame_of(in, 3));
	assert_true(frame_is_base(frames, frame_of(out, 4)));
	/* A mark stands under what --root made, too. */
	assert_true(frame_is_base(frames, frame_of(out, 7)));
	assert_false(frame_is_base(frames, frame_of(out, 8)));
}

static void test_nothing_to_mark(void **state)
{
	__attribute__((cleanup(stacks_deinit))) struct stacks s;
	_cleanup_profile_ struct profile *marked = NULL;

	stacks_make(&s, "mkdir;main;mkdir 5");
	marked = profile_mark_bases(s.profile, 1);
	assert_true(profile_has_unmarked_bases(s.profile, 1));
	assert_false(profile_has_unmarked_bases(s.profile, 0));
	assert_false(profile_has_unmarked_bases(marked, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_nothing_to_mark),
	};

	return cmocka_run_group_tests_name("base_marks", tests, NULL, NULL);
}
