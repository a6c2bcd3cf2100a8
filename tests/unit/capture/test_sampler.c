// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of a sampler that may not be opened: words, and nothing is left behind.  What one
 * does that may is seen by the live tests.
 */
#include "capture/sampler.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/mem.h"

static unsigned int nr_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

/* Without privileges: is it refused, with that word? */
static bool is_refused(const struct sampler_opts *opts, const char *word)
{
	const struct sampler_consumer nobody = { 0 };
	struct sampler *s = NULL;
	struct diag diag = { "" };
	unsigned int before;
	int r;

	if (!geteuid() && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
		return false;
	before = nr_fds();
	r = sampler_open(opts, &nobody, &s, &diag);
	return r < 0 && !s && strstr(diag.text, word) && !strchr(diag.text, '\n') &&
	       nr_fds() == before;
}

static void expect_refused(const char *event, uint64_t freq_hz, uint64_t period)
{
	struct sampler_opts opts = { .rate = { freq_hz, period }, .max_user_frames = 127 };
	pid_t child;
	int status;

	assert_int_equal(capture_event_parse(event, &opts.event, NULL), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(is_refused(&opts, "CAP_") ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_without_privileges(void **state)
{
	expect_refused("cpu-clock", 99, 0);
	expect_refused("page-faults", 0, 1);
}

static void test_free_of_nothing(void **state)
{
	sampler_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_privileges),
		cmocka_unit_test(test_free_of_nothing),
	};

	return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
