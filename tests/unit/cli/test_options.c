// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of options into fields, what is refused and in which words, and that no two are one. */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"

enum colour { RED, GREEN, BLUE };

struct target {
	bool quiet, loud, second, has_colour;
	const char *text;
	uint64_t count, size, duration_ns;
	uint32_t depth;
	double percent, share;
	uint32_t *list;
	size_t nr_list;
	const char **texts;
	size_t nr_texts;
	enum colour colour;
	unsigned int given;
};

static const char *const colours[] = { "red", "green", "blue" }, *const halves[] = { "a", "b" };

/* clang-format off */
static const struct option_row rows[] = {
	{ OPTION_FLAG("quiet", "q", struct target, quiet) },
	{ OPTION_FLAG_NOT("silent", NULL, struct target, loud) },
	{ OPTION_TEXT("text", "t", struct target, text), .given = 1 },
	{ OPTION_COUNT("count", "c", struct target, count, 1, UINT64_MAX), .given = 2 },
	{ OPTION_COUNT("depth", NULL, struct target, depth, 1, 500) },
	{ OPTION_SIZE("size", NULL, struct target, size, 1, 1 << 20) },
	{ OPTION_DURATION("duration", "dD", struct target, duration_ns, 1, UINT64_MAX) },
	{ OPTION_PERCENT("percent", NULL, struct target, percent), .given = 4 },
	{ OPTION_SHARE("share", NULL, struct target, share, 0.001) },
	{ OPTION_LIST("list", NULL, struct target, list, nr_list) },
	{ OPTION_TEXTS("also", "a", struct target, texts, nr_texts) },
	{ OPTION_CHOICE("half", NULL, struct target, second, halves) },
	{ OPTION_CHOICE_GIVEN("colour", NULL, struct target, colour, colours, has_colour) },
	{ 0 },
};
/* clang-format on */

#define MAX_ARGS 12

/* Parses "a b c" as the arguments of a command; the operands are joined by blanks. */
static int parse(struct target *to, const char *line, char *operands, struct diag *diag)
{
	const struct option_group groups[] = { { rows, to, &to->given }, { 0 } };
	static char words[256];
	char *argv[MAX_ARGS + 1] = { "command" }, **rest = NULL;
	int argc = 1, r;

	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word && argc < MAX_ARGS; word = strtok(NULL, " "))
		argv[argc++] = word;
	*operands = '\0';
	*diag = (struct diag){ "" };
	r = options_parse(groups, false, argv, &rest, diag);
	for (; !r && *rest; rest++)
		strcat(strcat(operands, *operands ? " " : ""), *rest);
	return r;
}

static void test_fields(void **state)
{
	struct target t = { .loud = true };
	char operands[256];
	struct diag diag;

	assert_int_equal(
		parse(&t, "-qt x one --silent --count=18446744073709551615 two", operands, &diag),
		0);
	assert_string_equal(operands, "one two");
	assert_true(t.quiet && !t.loud);
	assert_string_equal(t.text, "x");
	assert_true(t.count == UINT64_MAX);
	assert_int_equal(t.given, 3);
	assert_int_equal(parse(&t, "--depth 500 --size 64K -D 2m --percent 5% --share 0.5%",
			       operands, &diag),
			 0);
	assert_int_equal(t.depth, 500);
	assert_int_equal(t.size, 65536);
	assert_true(t.duration_ns == 120000000000);
	assert_true(t.percent == 5 && t.share == 0.005);
	assert_int_equal(t.given, 7);
	assert_int_equal(parse(&t, "--list 3-5,1 --half b --list 7 --colour blue", operands, &diag),
			 0);
	assert_int_equal(t.nr_list, 1);
	assert_int_equal(t.list[0], 7);
	assert_true(t.second && t.has_colour);
	assert_int_equal(parse(&t, "-a one --also two --also=three", operands, &diag), 0);
	assert_int_equal(t.nr_texts, 3);
	assert_string_equal(t.texts[0], "one");
	assert_string_equal(t.texts[2], "three");
	assert_int_equal(t.colour, BLUE);
	assert_string_equal(options_given_name(rows, 4 | 2), "count");
	assert_null(options_given_name(rows, 8));
	free(t.list);
	free(t.texts);
}

static void test_refused(void **state)
{
	static const struct {
		const char *line, *message;
	} bad[] = {
		{ "--nothing", "--nothing: no such option (or not unique)" },
		{ "--s x", "--s: no such option (or not unique)" }, /* silent, size, share */
		{ "-qx", "-x: no such option" },
		{ "--quiet=1", "--quiet=1: it takes no value" },
		{ "--text", "--text: a value is missing" },
		{ "-qt", "-t: a value is missing" },
		{ "-c 0", "--count: '0' is not a number above 0" },
		{ "--depth 501", "--depth: '501' is not a number from 1 to 500" },
		{ "--size 2M", "--size: '2M' is not a size such as 512K or 64M" },
		{ "-d 0", "--duration: '0' is not a duration such as 10, 500ms or 2m" },
		{ "--percent 101", "--percent: '101' is not within 0 and 100" },
		{ "--share 0", "--share: '0' is not within 0.001 and 100" },
		{ "--list 1,", "--list: '1,' is not a list such as 1,3-5" },
		{ "--colour grey",
		  "--colour: 'grey' is not one of red, green, blue; did you mean 'green'?" },
	};
	struct target t = { 0 };
	char operands[256];
	struct diag diag;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(parse(&t, bad[i].line, operands, &diag), -EINVAL);
		assert_string_equal(diag.text, bad[i].message);
	}
	assert_null(t.list);
	assert_false(t.has_colour);
}

/* Help ends it, whatever stands behind; "--" ends the options. */
static void test_ends(void **state)
{
	const struct option_group groups[] = { { rows, &(struct target){ 0 }, NULL }, { 0 } };
	char *ordered[] = { "command", "-q", "ls", "-x", NULL }, **rest;
	struct target t = { 0 };
	char operands[256];
	struct diag diag;

	assert_int_equal(parse(&t, "-h --nothing", operands, &diag), OPTIONS_HELP);
	help_end(); /* what is printed from here on is no help */
	assert_int_equal(parse(&t, "-- --nothing", operands, &diag), 0);
	assert_string_equal(operands, "--nothing");
	assert_int_equal(options_parse(groups, true, ordered, &rest, &diag), 0);
	assert_ptr_equal(rest, ordered + 2);
}

static void test_doubles(void **state)
{
	static const struct option_row again[] = {
		{ OPTION_FLAG("text", NULL, struct target, quiet) },
		{ 0 },
	}, letter[] = {
		{ OPTION_FLAG("other", "D", struct target, quiet) },
		{ 0 },
	};
	struct target t = { 0 };
	const struct option_group names[] = { { rows, &t, NULL }, { again, &t, NULL }, { 0 } },
				  letters[] = { { rows, &t, NULL }, { letter, &t, NULL }, { 0 } };
	char *argv[] = { "command", NULL }, **rest;
	struct diag diag = { "" };

	assert_int_equal(options_parse(names, false, argv, &rest, &diag), -EINVAL);
	assert_string_equal(diag.text, "--text: two options have it");
	assert_int_equal(options_parse(letters, false, argv, &rest, &diag), -EINVAL);
	assert_string_equal(diag.text, "-D: two options have it");
}

/* The groups of a command are put together in it alone: its help is refused when two collide. */
static void test_commands(void **state)
{
	int out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (const struct command *c = command_table; c->name; c++) {
		char *argv[] = { "eddy", (char *)c->name, "--help", NULL };
		int status;

		fflush(stdout);
		dup2(null, STDOUT_FILENO);
		status = command_run(3, argv);
		fflush(stdout);
		dup2(out, STDOUT_FILENO);
		assert_int_equal(status, EXIT_DONE);
	}
	close(null);
	close(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_ends),	 cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_commands),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
