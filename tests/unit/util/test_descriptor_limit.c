// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors up to the hard limit. */
#include "util/descriptor_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include "unit/unit.h"

static void soft_becomes_hard(void **state)
{
	struct rlimit limit, now;
	int fds[2];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 1; /* all beyond standard input's number are refused */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(pipe(fds), -1);
	assert_int_equal(descriptor_limit_raise(), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_int_equal(now.rlim_cur, limit.rlim_max);
	assert_int_equal(now.rlim_max, limit.rlim_max);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(soft_becomes_hard),
	};

	return cmocka_run_group_tests_name("descriptor_limit", tests, NULL, NULL);
}
