// SPDX-License-Identifier: GPL-2.0-or-later
/* What children have run counts, and goes with them. */
#include "util/sched_time.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/clock.h"

static void children_count(void **state)
{
	struct sched_time before, now;
	pid_t child;

	if (!sched_time_read(getpid(), &before))
		skip(); /* CONFIG_SCHED_INFO */
	child = fork();
	if (!child)
		for (;;)
			pause();
	assert_true(sched_time_read(getpid(), &before));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = fork();
	if (!child) {
		while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < 50000000)
			;
		for (;;)
			pause();
	}
	do
		assert_true(sched_time_read(getpid(), &now));
	while (now.ran_ns - before.ran_ns < 40000000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_false(sched_time_read(child, &now)); /* it is gone */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(children_count) };

	return cmocka_run_group_tests_name("sched_time", tests, NULL, NULL);
}
