// SPDX-License-Identifier: GPL-2.0-or-later
/* The priority of a capture: raised from nice 0 alone, hurried for a while, where allowed. */
#include "unit/unit.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/priority.h"

/* The nice value that a process has afterwards which had that one before. */
static int raised_from(int nice_value)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setpriority(PRIO_PROCESS, 0, nice_value) < 0)
			_exit(100);
		priority_raise();
		_exit(getpriority(PRIO_PROCESS, 0) + 40);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) - 40;
}

static bool may_raise(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(setpriority(PRIO_PROCESS, 0, PRIORITY_NICE) < 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !WEXITSTATUS(status);
}

static void a_value_that_was_chosen_is_kept(void **state)
{
	assert_int_equal(raised_from(19), 19);
	assert_int_equal(raised_from(5), 5);
}

static void the_usual_one_is_raised_where_that_is_allowed(void **state)
{
	if (getpriority(PRIO_PROCESS, 0))
		skip();
	assert_int_equal(raised_from(0), may_raise() ? PRIORITY_NICE : 0);
}

/* ---- hurry -------------------------------------------------------------------------------- */

/* In a process of its own, which has that nice value; what it says. */
static int answer_of(int nice_value, int (*ask)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setpriority(PRIO_PROCESS, 0, nice_value) < 0)
			_exit(100);
		_exit(ask());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int try_hurry(void)
{
	return priority_hurry() * 10 + sched_getscheduler(0);
}

static int hurry_and_relax(void)
{
	if (!priority_hurry())
		return 99;
	priority_relax();
	if (getpriority(PRIO_PROCESS, 0) != PRIORITY_NICE)
		return 98;
	return sched_getscheduler(0);
}

static int run_too_long(void)
{
	if (!priority_hurry())
		return 99;
	raise(SIGXCPU);
	return sched_getscheduler(0);
}

/* What a parser that is made in a hurry has: a deadline, or, refused, no policy of its own. */
static int measure_out(void)
{
	int policy;

	if (!priority_hurry())
		return 99;
	priority_measure_out(0, true);
	policy = sched_getscheduler(0);
	if (policy == SCHED_DEADLINE)
		return 1;
	return policy == SCHED_OTHER && getpriority(PRIO_PROCESS, 0) == -20 ? 1 : 2;
}

static int lend_and_take_back(void)
{
	priority_lend(getpid(), true);
	if (sched_getscheduler(0) != SCHED_RR)
		return 99;
	priority_lend(getpid(), false);
	return sched_getscheduler(0);
}

static bool may_hurry(void)
{
	return may_raise() && answer_of(PRIORITY_NICE, try_hurry) == 10 + SCHED_RR;
}

static void who_was_told_to_step_back_does_not_hurry(void **state)
{
	assert_int_equal(answer_of(5, try_hurry), SCHED_OTHER);
	if (!getpriority(PRIO_PROCESS, 0))
		assert_int_equal(answer_of(0, try_hurry), SCHED_OTHER);
}

static void a_hurry_ends(void **state)
{
	if (!may_hurry())
		skip();
	assert_int_equal(answer_of(PRIORITY_NICE, hurry_and_relax), SCHED_OTHER);
	assert_int_equal(answer_of(PRIORITY_NICE, lend_and_take_back), SCHED_OTHER);
}

static void who_computes_for_too_long_loses_it(void **state)
{
	if (!may_hurry())
		skip();
	assert_int_equal(answer_of(PRIORITY_NICE, run_too_long), SCHED_OTHER);
}

static void who_parses_never_has_all_of_it(void **state)
{
	if (!may_hurry())
		skip();
	assert_int_equal(answer_of(PRIORITY_NICE, measure_out), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_that_was_chosen_is_kept),
		cmocka_unit_test(the_usual_one_is_raised_where_that_is_allowed),
		cmocka_unit_test(who_was_told_to_step_back_does_not_hurry),
		cmocka_unit_test(a_hurry_ends),
		cmocka_unit_test(who_computes_for_too_long_loses_it),
		cmocka_unit_test(who_parses_never_has_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
