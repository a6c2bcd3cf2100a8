// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Choices that are remembered come back; a text of somebody else's changes nothing that it must
 * not.
 */
#include "live/live_choices.h"

#include "unit/unit.h"
#include "util/mem.h"

static void test_round_trip(void **state)
{
	for (int i = 0; i < 200; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
		const struct live_choice choice = { .view = test_random_below(NR_LIVE_VIEWS),
						    .sort = test_random_below(9),
						    .degree = test_random_below(4),
						    .hide_kernel = test_random_below(2),
						    .hide_user = test_random_below(2),
						    .is_inverted = test_random_below(2) };
		const struct live_choice none = { 0 };
		struct live_state from, to;

		live_state_init(&from, &choice, true);
		live_state_init(&to, &none, true);
		from.irq = test_random_below(4);
		from.window_s = test_random_below(700);
		from.is_decayed = test_random_below(2);
		from.is_following = test_random_below(2);
		live_choices_print(&from, &text);
		live_choices_take(&to, text.bytes, 0);
		live_choices_print(&to, &again);
		assert_string_equal(again.bytes, text.bytes);
		live_state_deinit(&from);
		live_state_deinit(&to);
	}
}

static void test_what_means_nothing(void **state)
{
	static const char text[] =
		"view nothing\nview\nwindow -1\nwindow 1e99\nwindow nan\nwindow \n"
		"irq \ncollapse 7\nfade perhaps\n\n \nview flame x\n# view irq\n"
		"irq keep\nwindow 30";
	const struct live_choice choice = { .view = LIVE_CYCLES, .degree = COLLAPSE_DIRECT };
	struct live_state s;

	live_state_init(&s, &choice, true);
	s.window_s = 5;
	live_choices_take(&s, text, LIVE_CHOSE_WINDOW | LIVE_CHOSE_IRQ);
	assert_int_equal(s.choice.view, LIVE_CYCLES);
	assert_int_equal(s.choice.degree, COLLAPSE_DIRECT);
	assert_true(s.window_s == 5);
	assert_int_equal(s.irq, 0);
	assert_false(s.is_decayed);
	live_choices_take(&s, text, 0);
	assert_true(s.window_s == 30);
	assert_int_equal(s.irq, 1);
	live_state_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_what_means_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
