// SPDX-License-Identifier: GPL-2.0-or-later
/* Which frames a name or a pattern selects, and which stacks --focus and --ignore leave. */
#include "unit/unit.h"

#include "analysis/focus.h"

static frame_id text(struct profile *p, const char *s)
{
	return frame_table_add_text(profile_frames(p), s, strlen(s));
}

static void stack(struct profile *p, const char *letters, uint64_t weight)
{
	node_id n = NODE_ROOT;

	for (; *letters; letters++)
		n = profile_child(p, n, text(p, (char[]){ *letters, 0 }));
	assert_int_equal(profile_add(p, n, weight), 0);
}

static void test_frame_set(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	frame_id read_k = text(p, "vfs_read_[k]"), read_u = text(p, "vfs_read");
	frame_id write_k = text(p, "vfs_write_[k]"), op = text(p, "operator[]");
	frame_id star = text(p, "f(char*)"), starred = text(p, "f(char**)");
	_cleanup_frame_set_ struct frame_set *s = frame_set_new(profile_frames(p));

	assert_int_equal(frame_set_add(s, "vfs_read_[k]"), 1);
	assert_true(frame_set_has(s, read_k));
	assert_false(frame_set_has(s, read_u));
	assert_int_equal(frame_set_add(s, "vfs_read"), 2);
	assert_int_equal(frame_set_add(s, "vfs_*"), 3);
	assert_true(frame_set_has(s, write_k));
	assert_int_equal(frame_set_add(s, "operator[]"), 1);
	assert_true(frame_set_has(s, op));
	assert_int_equal(frame_set_add(s, "f(char*)"), 1);
	assert_true(frame_set_has(s, star));
	assert_false(frame_set_has(s, starred));
	assert_int_equal(frame_set_add(s, "vfs"), 0);
	assert_int_equal(frame_set_nr(s), 5);
	assert_false(frame_set_has(s, text(p, "added later")));
}

static uint64_t focus_total(const char *focus, const char *ignore, uint64_t *ret_dropped)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_profile_ struct profile *q = NULL;
	_cleanup_frame_set_ struct frame_set *f = NULL, *i = NULL;

	stack(p, "abc", 1);
	stack(p, "ab", 2);
	stack(p, "ac", 4);
	stack(p, "", 8);
	stack(p, "cb", 16);
	if (focus) {
		f = frame_set_new(profile_frames(p));
		frame_set_add(f, focus);
	}
	if (ignore) {
		i = frame_set_new(profile_frames(p));
		frame_set_add(i, ignore);
	}
	*ret_dropped = 0;
	q = profile_focus(p, f, i, ret_dropped);
	for (node_id n = 1; n < profile_nr_nodes(q); n++) {
		uint64_t sums[8];

		assert_true(profile_nr_nodes(q) <= 8);
		profile_sum(q, sums);
		assert_true(sums[n] > 0); /* no node that leads nowhere */
	}
	return profile_total(q);
}

static void test_focus(void **state)
{
	uint64_t dropped;

	assert_int_equal(focus_total(NULL, NULL, &dropped), 31);
	assert_int_equal(dropped, 0);
	assert_int_equal(focus_total("b", NULL, &dropped), 19);
	assert_int_equal(dropped, 12);
	assert_int_equal(focus_total("b", "c", &dropped), 2);
	assert_int_equal(focus_total(NULL, "c", &dropped), 10);
	assert_int_equal(focus_total(NULL, "a", &dropped), 24);
	assert_int_equal(focus_total("x", NULL, &dropped), 0);
	assert_int_equal(dropped, 31);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_set),
		cmocka_unit_test(test_focus),
	};

	return cmocka_run_group_tests_name("focus", tests, NULL, NULL);
}
