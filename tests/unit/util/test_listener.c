// SPDX-License-Identifier: GPL-2.0-or-later
/* What is told arrives as it was meant, and nobody may be there to hear it. */
#include "unit/unit.h"

#include <stdbool.h>
#include <stdio.h>

#include "util/listener.h"

static char heard[256];
static size_t nr_steps;
static bool is_over;

static void say(const char *text)
{
	snprintf(heard, sizeof(heard), "%s", text);
}

static void step(const char *what, size_t done, size_t nr)
{
	snprintf(heard, sizeof(heard), "%s %zu/%zu", what, done, nr);
	nr_steps++;
}

static void step_over(void)
{
	is_over = true;
}

static void test_told(void **state)
{
	const struct listener l = { .say = say, .step = step, .step_over = step_over };

	listener_say(&l, "%s of %d", "3", 5);
	assert_string_equal(heard, "3 of 5");
	listener_say(&l, "%s", "100 % of it");
	assert_string_equal(heard, "100 % of it");
	listener_step(&l, "reading", 2, 7);
	assert_string_equal(heard, "reading 2/7");
	assert_int_equal(nr_steps, 1);
	assert_false(is_over);
	listener_step_over(&l);
	assert_true(is_over);
}

static void test_nobody(void **state)
{
	const struct listener deaf = { 0 };

	*heard = '\0';
	for (size_t i = 0; i < 2; i++) {
		const struct listener *l = i ? &deaf : NULL;

		listener_say(l, "%s", "x");
		listener_step(l, "x", 1, 2);
		listener_step_over(l);
	}
	assert_string_equal(heard, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_nobody),
	};

	return cmocka_run_group_tests_name("listener", tests, NULL, NULL);
}
