// SPDX-License-Identifier: GPL-2.0-or-later
/* Which bytes are escaped and how, and that escaping twice is escaping once. */
#include "unit/unit.h"

#include "util/text_escape.h"

static void expect(const char *bytes, size_t len, const char *want)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	text_escape(&sb, bytes, len);
	assert_string_equal(sb.bytes, want);
}

static void test_table(void **state)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "", "" },
		{ "operator<<(a b)", "operator<<(a b)" },
		{ "a\\b", "a\\b" },
		{ "a\nb\tc\x1b[31m\x7f", "a\\x0ab\\x09c\\x1b[31m\\x7f" },
		{ "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5",
		  "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5" },
		{ "\xc2\x9b"
		  "31m",
		  "\\xc2\\x9b31m" }, /* CSI in UTF-8 */
		{ "\x9b"
		  "31m",
		  "\\x9b31m" }, /* and as a bare byte */
		{ "\xc2\xa0", "\xc2\xa0" },
		{ "\xc2\x85", "\\xc2\\x85" },		      /* next line */
		{ "\xd8\x9c\xd8\x9d", "\\xd8\\x9c\xd8\x9d" }, /* Arabic letter mark */
		{ "\xe2\x80\x8d\xe2\x80\x8e", "\xe2\x80\x8d\\xe2\\x80\\x8e" },
		{ "\xe2\x80\x8f\xe2\x80\x90", "\\xe2\\x80\\x8f\xe2\x80\x90" },
		{ "\xe2\x80\xa7\xe2\x80\xa8", "\xe2\x80\xa7\\xe2\\x80\\xa8" }, /* line separator */
		{ "\xe2\x80\xae\xe2\x80\xaf", "\\xe2\\x80\\xae\xe2\x80\xaf" }, /* right to left */
		{ "\xe2\x81\xa5\xe2\x81\xa6", "\xe2\x81\xa5\\xe2\\x81\\xa6" }, /* isolates */
		{ "\xe2\x81\xa9\xe2\x81\xb0", "\\xe2\\x81\\xa9\xe2\x81\xb0" },
		{ "\xc0\x80", "\\xc0\\x80" },			/* overlong */
		{ "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf" },		/* overlong */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },		/* surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
		{ "\xe2\x82", "\\xe2\\x82" },			/* cut */
		{ "\xe2\x82\xc3\xbc", "\\xe2\\x82\xc3\xbc" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect(cases[i].in, strlen(cases[i].in), cases[i].want);
	expect("a\0b", 3, "a\\x00b");
}

/* Escaping twice is escaping once, whatever the bytes. */
static void test_random_bytes(void **state)
{
	for (int round = 0; round < 20000; round++) {
		_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT, again = STRBUF_INIT;
		char bytes[24];
		size_t len = test_random_below(sizeof(bytes));

		for (size_t i = 0; i < len; i++)
			bytes[i] = test_random() >> 32;
		text_escape(&sb, bytes, len);
		text_escape(&again, sb.bytes, sb.len);
		assert_int_equal(again.len, sb.len);
		assert_memory_equal(again.bytes, sb.bytes, sb.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests_name("text_escape", tests, NULL, NULL);
}
