// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files a directory of snapshots means, what is said of that, and reading them. */
#include "unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/stack_files.h"
#include "util/mem.h"

static char said[512];

static void say(const char *text)
{
	strncat(said, text, sizeof(said) - strlen(said) - 2);
	strcat(said, "\n");
}

static const struct listener listener = { .say = say };

/* Two hosts with windows of a minute: 10:00 and 10:01 of alpha, 10:01 of beta. */
static const char *const names[] = {
	"alpha/20261120T100000Z-60.folded",
	"alpha/20261120T100100Z-60.folded",
	"beta/20261120T100100Z-60.folded",
};

static char dir[] = "/tmp/eddy-stack-files.XXXXXX";

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static int make_dir(void **state)
{
	_cleanup_free_ char *alpha = NULL, *beta = NULL;

	if (!mkdtemp(dir))
		return -1;
	alpha = path_of("alpha");
	beta = path_of("beta");
	if (mkdir(alpha, 0700) < 0 || mkdir(beta, 0700) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = path_of(names[i]);
		FILE *f = fopen(path, "w");

		if (!f)
			return -1;
		fprintf(f, "main;f%zu %zu\n", i, i + 1);
		fclose(f);
	}
	return 0;
}

static int remove_dir(void **state)
{
	_cleanup_free_ char *command = xasprintf("rm -r %s", dir);

	return system(command);
}

static int open_files(struct stack_files_opts *opts, struct stack_files *files, struct diag *diag)
{
	char *paths[] = { dir, NULL };

	*said = '\0';
	opts->listener = &listener;
	return stack_files_open(paths, opts, files, diag);
}

static void test_all(void **state)
{
	struct stack_files_opts opts = { 0 };
	_cleanup_stack_files_ struct stack_files files = { 0 };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" };
	_cleanup_free_ char *expected =
		xasprintf("%s: 3 snapshots, 2026-11-20T10:00:00Z to 2026-11-20T10:02:00Z, "
			  "of 2 hosts\n",
			  dir);

	assert_int_equal(open_files(&opts, &files, &diag), 0);
	assert_int_equal(files.nr, 3);
	assert_int_equal(files.nr_snapshots, 3);
	/* By time, then host. */
	assert_string_equal(files.files[1].host, "alpha");
	assert_string_equal(files.files[2].host, "beta");
	assert_string_equal(said, expected);
	assert_int_equal(stack_files_read_all(&files, &opts, p, &diag), 0);
	assert_int_equal(profile_total(p), 6);
	assert_int_equal(files.files[2].nr_samples, 3);
}

static void test_chosen(void **state)
{
	struct stack_files_opts opts = { .host = "beta" };
	_cleanup_stack_files_ struct stack_files files = { 0 }, late = { 0 };
	struct diag diag = { "" };

	assert_int_equal(open_files(&opts, &files, &diag), 0);
	assert_int_equal(files.nr, 1);
	assert_non_null(strstr(said, "1 of 3 snapshots"));
	opts.host = NULL;
	assert_int_equal(time_point_parse("since", "2026-11-20T10:01Z", &opts.since, &diag), 0);
	assert_int_equal(open_files(&opts, &late, &diag), 0);
	assert_int_equal(late.nr, 2);
	opts.host = "gamma";
	assert_int_equal(open_files(&opts, &(struct stack_files){ 0 }, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "no snapshots of host 'gamma'; there are alpha, beta"));
}

/* What is removed between listing and reading is counted, and said once. */
static void test_vanished(void **state)
{
	struct stack_files_opts opts = { 0 };
	_cleanup_stack_files_ struct stack_files files = { 0 };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_free_ char *gone = path_of(names[2]);
	struct diag diag = { "" };

	assert_int_equal(open_files(&opts, &files, &diag), 0);
	assert_int_equal(unlink(gone), 0);
	assert_int_equal(stack_files_read_all(&files, &opts, p, &diag), 0);
	assert_int_equal(profile_total(p), 3);
	assert_true(files.files[2].has_vanished && files.nr_vanished == 1);
	assert_non_null(strstr(said, "1 snapshot was removed before it could be read"));
}

/* Nobody listens: nothing breaks. */
static void test_nobody(void **state)
{
	struct stack_files_opts opts = { 0 };
	_cleanup_stack_files_ struct stack_files files = { 0 };
	char *paths[] = { dir, NULL };
	struct diag diag = { "" };

	assert_int_equal(stack_files_open(paths, &opts, &files, &diag), 0);
	assert_int_equal(files.nr, 2);
	opts.host = NULL;
	assert_int_equal(time_point_parse("since", "10:00", &opts.since, &diag), 0);
	assert_int_equal(stack_files_open((char *[]){ "/dev/null", NULL }, &opts,
					  &(struct stack_files){ 0 }, &diag),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_vanished),
		cmocka_unit_test(test_nobody),
	};

	return cmocka_run_group_tests_name("stack_files", tests, make_dir, remove_dir);
}
