// SPDX-License-Identifier: GPL-2.0-or-later
/* The stacks behind a table: all, those that hold a function, those under what is zoomed on. */
#include "live/live_pick.h"

#include "unit/unit.h"
#include "util/mem.h"

static frame_id frame(struct profile *p, char name)
{
	return frame_table_add_text(profile_frames(p), &name, 1);
}

static void add_stack(struct profile *p, const char *text, uint64_t weight)
{
	node_id n = NODE_ROOT;

	for (; *text; text++)
		n = profile_child(p, n, frame(p, *text));
	profile_add(p, n, weight);
}

static uint64_t total(const struct profile *p, const struct live_choice *c,
		      const struct live_table *t)
{
	_cleanup_profile_ struct profile *picked = live_pick_stacks(p, c, t);

	return profile_total(picked);
}

static void test_pick(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct live_row head = { .is_head = true };
	struct live_table t = { .view = LIVE_FUNCTIONS };
	struct live_choice c = { 0 };
	frame_id zoom[2];

	add_stack(p, "", 1);
	add_stack(p, "ma", 2);
	add_stack(p, "mab", 4);
	add_stack(p, "mc", 8);
	add_stack(p, "xab", 16);
	add_stack(p, "mama", 32);
	assert_int_equal(total(p, &c, &t), 63);
	t.view = LIVE_CALLS;
	t.rows = &head;
	t.nr = 1;
	head.frame = frame(p, 'a');
	assert_int_equal(total(p, &c, &t), 2 + 4 + 16 + 32);
	t.view = LIVE_FLAME;
	zoom[0] = frame(p, 'm');
	zoom[1] = frame(p, 'a');
	c.zoom = zoom;
	assert_int_equal(total(p, &c, &t), 63); /* nothing is zoomed on */
	c.nr_zoom = 2;
	assert_int_equal(total(p, &c, &t), 2 + 4 + 32);
	zoom[1] = frame(p, 'x');
	assert_int_equal(total(p, &c, &t), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_pick) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
