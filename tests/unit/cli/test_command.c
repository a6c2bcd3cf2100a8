// SPDX-License-Identifier: GPL-2.0-or-later
/* What reaches standard error: one line a message, its bytes made safe, and the status with it. */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "util/mem.h"

static int kept_fd;
static FILE *caught;

/* Standard error goes to a file from here to end(). */
static void begin(void)
{
	fflush(stderr);
	kept_fd = dup(STDERR_FILENO);
	caught = tmpfile();
	assert_non_null(caught);
	dup2(fileno(caught), STDERR_FILENO);
}

static void end(const char *want)
{
	char got[2048];
	size_t len;

	fflush(stderr);
	dup2(kept_fd, STDERR_FILENO);
	close(kept_fd);
	rewind(caught);
	len = fread(got, 1, sizeof(got) - 1, caught);
	got[len] = '\0';
	fclose(caught);
	assert_string_equal(got, want);
}

static void test_messages(void **state)
{
	int failed, usage, nowhere;

	begin();
	command_say("%d of %s", 2, "them");
	command_say_text("100 % as it stands");
	failed = command_failed("file: %s", "no");
	usage = command_usage("merge", "--x: %s", "why");
	nowhere = command_usage("", "no command '%s'", "y");
	end("eddy: 2 of them\n"
	    "eddy: 100 % as it stands\n"
	    "eddy: file: no\n"
	    "eddy: merge: --x: why ('eddy merge --help' lists the options)\n"
	    "eddy: no command 'y' ('eddy --help' lists the options)\n");
	assert_int_equal(failed, EXIT_FAILED);
	assert_int_equal(usage, EXIT_USAGE);
	assert_int_equal(nowhere, EXIT_USAGE);
}

/* A message is one line whatever is in it; only finished texts have lines. */
static void test_escapes(void **state)
{
	begin();
	command_say("a\x1b[2J\nb\xff");
	command_say_each("one\ntwo\x07\n");
	command_say_lines("log\n\n\tend\r");
	end("eddy: a\\x1b[2J\\x0ab\\xff\n"
	    "eddy: one\neddy: two\\x07\n"
	    "log\n\n\\x09end\\x0d\n");
}

/* Nothing is cut. */
static void test_long(void **state)
{
	char text[1001], want[1100];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	snprintf(want, sizeof(want), "eddy: %s\n", text);
	begin();
	command_say_text(text);
	end(want);
}

static void test_exhausted(void **state)
{
	int status;
	pid_t pid;

	begin();
	pid = fork();
	if (!pid)
		mem_exhausted(4096);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	end("eddy: out of memory: 4096 bytes more are not to be had (give it less at a time; "
	    "--max-input bounds what files may take)\n");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_exhausted),
	};

	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
