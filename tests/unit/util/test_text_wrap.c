// SPDX-License-Identifier: GPL-2.0-or-later
/* No line is wider than it may be, no word is lost. */
#include "unit/unit.h"

#include "util/cleanup.h"
#include "util/text_width.h"
#include "util/text_wrap.h"

static void check(const char *text, size_t columns, const char *want)
{
	_cleanup_free_ char *got = NULL;
	size_t len;
	FILE *f = open_memstream(&got, &len);

	assert_non_null(f);
	text_wrap_write(f, text, strlen(text), columns);
	fclose(f);
	assert_string_equal(got, want);
}

static void test_lines(void **state)
{
	check("short\n", 20, "short\n");
	check("\n\na\n", 20, "\n\na\n");
	check("as long as it will be, unless told\n", 0, "as long as it will be, unless told\n");
	check("12345678 12345678 12 4\n", 20, "12345678 12345678 12\n  4\n");
	check("12345678 12345678 123\n", 20, "12345678 12345678\n  123\n");
	check("    1234567890123456789\n", 20, "    1234567890123456\n  789\n");
	check("\033[1m12345678 12345678 12\033[0m\n", 20, "\033[1m12345678 12345678 12\033[0m\n");
	check("\u95a2\u6570\u95a2\u6570 \u95a2\u6570\u95a2\u6570\u95a2 \u6570\n", 20,
	      "\u95a2\u6570\u95a2\u6570 \u95a2\u6570\u95a2\u6570\u95a2\n  \u6570\n");
}

static void test_help(void **state)
{
	static const char text[] = "usage: a word and another one\n"
				   "         more\n"
				   "A sentence that\ngoes on.\n\n"
				   "  -d, --dd  one two three four five\n"
				   "            six seven eight nine\n"
				   "  --long-option-of-all-of-them  one two\n";
	static const char want[] = "usage: a word and another\n       one more\n"
				   "A sentence that goes on.\n\n"
				   "  -d, --dd  one two three\n            four five\n"
				   "            six seven\n            eight nine\n"
				   "  --long-option-of-all-of-\n  them  one two\n";
	_cleanup_free_ char *got = NULL;
	size_t len;
	FILE *f = open_memstream(&got, &len);

	text_wrap_write_help(f, text, strlen(text), 26);
	fclose(f);
	assert_string_equal(got, want);
}

/* What is said of an option is one sentence, in however many lines it stands. */
static void test_help_sentences(void **state)
{
	static const char text[] = "options:\n"
				   "  -o, --output FILE  where to write what\n"
				   "                     there is\n"
				   "      --a SIZE, --b SIZE\n"
				   "                     both\n"
				   "  --quiet            nothing\n";
	static const char want[] = "options:\n"
				   "  -o, --output FILE  where to write what there\n"
				   "                     is\n"
				   "      --a SIZE, --b SIZE\n"
				   "                     both\n"
				   "  --quiet            nothing\n";
	_cleanup_free_ char *got = NULL;
	size_t len;
	FILE *f = open_memstream(&got, &len);

	text_wrap_write_help(f, text, strlen(text), 46);
	fclose(f);
	assert_string_equal(got, want);
}

/* A number and its percent sign stay together. */
static void test_percent(void **state)
{
	check("a share of so much 99 % of it\n", 21, "a share of so much\n  99 % of it\n");
}

static void test_any(void **state)
{
	for (int round = 0; round < 2000; round++) {
		char text[200], *save = NULL;
		_cleanup_free_ char *got = NULL;
		size_t len = test_random_below(sizeof(text) - 1), made, blanks = 0, seen = 0;
		FILE *f = open_memstream(&got, &made);

		for (size_t i = 0; i < len; i++) {
			text[i] = "abc  x"[test_random_below(6)];
			blanks += text[i] != ' ';
		}
		text[len] = '\0';
		text_wrap_write(f, text, len, 20);
		fclose(f);
		for (size_t i = 0; i < made; i++)
			seen += got[i] != ' ' && got[i] != '\n';
		assert_int_equal(seen, blanks);
		for (char *line = strtok_r(got, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			assert_true(text_width(line, strlen(line)) <= 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help),	cmocka_unit_test(test_help_sentences),
		cmocka_unit_test(test_percent), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests_name("text_wrap", tests, NULL, NULL);
}
